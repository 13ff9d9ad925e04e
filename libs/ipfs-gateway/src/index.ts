export { GatewayError, InvalidRedirectsError } from './errors.ts';
export { createGateway, type Gateway } from './gateway.ts';
export type {
  ContentRequest,
  GatewayOptions,
  GatewayRequest,
  GatewayResponse,
  Refusal,
  SubdomainHost,
} from './gateway-types.ts';
export { limits as gatewayLimits } from './limits.ts';
export { type MatchedRedirect, matchRedirect, parseRedirects, type RedirectRule } from './redirects-file.ts';

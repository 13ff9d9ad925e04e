export { GatewayError, InvalidRecordError, InvalidRedirectsError } from './errors.ts';
export { createGateway, type Gateway } from './gateway.ts';
export type {
  ContentRequest,
  GatewayOptions,
  GatewayRequest,
  GatewayResponse,
  Refusal,
  SubdomainHost,
} from './gateway-types.ts';
export { parseIpnsName } from './ipns-key.ts';
export { type IpnsRecord, verifyIpnsRecord } from './ipns-record.ts';
export { limits as gatewayLimits } from './limits.ts';
export { parseNsMap } from './ns-map.ts';
export { type MatchedRedirect, matchRedirect, parseRedirects, type RedirectRule } from './redirects-file.ts';
export { type DnsLink, type NameSources, type ResolvedName, resolveName } from './resolve-name.ts';

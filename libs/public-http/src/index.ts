export { PublicHttpError, type PublicHttpErrorCode } from './errors.ts';
export type { ResolveHost } from './pinned-lookup.ts';
export { isPublicAddress } from './public-address.ts';
export {
  createPublicHttp,
  type HttpRequest,
  type HttpResponse,
  type PublicHttp,
  type PublicHttpOptions,
} from './public-http.ts';
export { isPublicMultiaddr } from './public-multiaddr.ts';

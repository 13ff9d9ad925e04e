import { type CID, codecs, parseCid } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { cidOf, resolveName } from '@cairn/ipns';
import { canonicalNameRedirect } from './canonical-name.ts';
import { doubledNamespaceRedirect } from './doubled-namespace.ts';
import { GatewayError } from './errors.ts';
import { type Content, contentPath, type Exchange, field, readOptions, redirect } from './exchange.ts';
import { failureOf } from './failure.ts';
import { type FollowedPath, followPath } from './follow-path.ts';
import type { GatewayOptions, GatewayRequest, GatewayResponse } from './gateway-types.ts';
import { routeByHost } from './host-route.ts';
import { type HotResponse, HotResponses, withBody } from './hot-responses.ts';
import { withIdentity } from './identity-blocks.ts';
import { ipfsUri } from './ipfs-uri.ts';
import { limits } from './limits.ts';
import { isMissing } from './missing.ts';
import { pageTags } from './page-style.ts';
import { protocolRedirect } from './protocol-redirect.ts';
import { cleanRawPath, parseTarget } from './request-target.ts';
import { requestedFormat } from './response-format.ts';
import { serveBlock } from './serve-block.ts';
import { notModified } from './serve-bytes.ts';
import { serveCar } from './serve-car.ts';
import { codecTag, isDocumentCodec, serveCodec } from './serve-codec.ts';
import { serveRecord } from './serve-record.ts';
import { serveRedirects } from './serve-redirects.ts';
import { serveTar } from './serve-tar.ts';
import { serveUnixfs } from './serve-unixfs.ts';

/** IPFS HTTP gateway without its transport. */
export interface Gateway {
  /** Answers a request. A failure that is a fault of the service is thrown, any other is a response. */
  handle(request: GatewayRequest): Promise<GatewayResponse>;
  /** Drops responses kept in memory. Call it when blocks were removed, or may no longer be read. */
  forget(): void;
}

/** Fields of every response: content is public data of any origin (https://specs.ipfs.tech/http-gateways/path-gateway/#access-control-allow-origin-response-header). */
const commonHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': 'Content-Type, Range, User-Agent, X-Requested-With',
  'access-control-expose-headers':
    'Content-Length, Content-Range, Ipfs-Uri, X-Chunked-Output, X-Ipfs-Path, X-Ipfs-Roots, X-Stream-Output',
} as const;

/** Creates a gateway over ports for blocks, names and policy. */
export function createGateway(options: GatewayOptions): Gateway {
  const service = new GatewayService({ ...options, blocks: withIdentity(options.blocks) });
  return { handle: (request) => service.handle(request), forget: () => service.forget() };
}

class GatewayService {
  readonly #options: GatewayOptions;
  readonly #hot: HotResponses | undefined;

  constructor(options: GatewayOptions) {
    const { hotBytesMax = 0 } = options;
    this.#options = options;
    this.#hot = hotBytesMax > 0 ? new HotResponses(hotBytesMax) : undefined;
  }

  forget(): void {
    this.#hot?.clear();
  }

  async handle(request: GatewayRequest): Promise<GatewayResponse> {
    const key = this.#hot?.keyOf(request);
    const hot = key === undefined ? undefined : this.#hot?.get(key);
    // A block that was removed meanwhile is no longer served.
    if (hot !== undefined && (await this.#isStored(hot))) return await this.#serveHot(hot, request);
    const version = this.#hot?.version ?? 0;
    const kept: Exchange['kept'] = {};
    const response = await this.#complete(request, kept);
    return key === undefined || kept.content === undefined || this.#hot === undefined
      ? response
      : this.#hot.keep({ key, version }, response, kept.content);
  }

  async #isStored({ content: { roots } }: HotResponse): Promise<boolean> {
    const last = roots.at(-1);
    return last !== undefined && (await this.#options.blocks.has(last));
  }

  /** Serves a response from memory, unless the policy refuses its content now. */
  async #serveHot({ response, content }: HotResponse, request: GatewayRequest): Promise<GatewayResponse> {
    const refusal = await this.#options.policy?.(content, request);
    if (refusal === undefined) return withBody(response);
    const refused = failureOf(
      new GatewayError(refusal.status, refusal.text),
      { 'x-ipfs-path': content.path },
      isBrowser(request),
    );
    return { ...refused, headers: { ...commonHeaders, ...refused.headers } };
  }

  async #complete(request: GatewayRequest, kept: Exchange['kept']): Promise<GatewayResponse> {
    const headers: Record<string, string> = {};
    const response = await this.#answer(request, headers, kept).catch((error: unknown) =>
      failureOf(error, headers, isBrowser(request)),
    );
    const all = { ...commonHeaders, ...response.headers };
    if (request.method === 'HEAD') return { status: response.status, headers: all };
    return { ...response, headers: all };
  }

  async #answer(
    request: GatewayRequest,
    headers: Record<string, string>,
    kept: Exchange['kept'],
  ): Promise<GatewayResponse> {
    if (request.method === 'OPTIONS') return { status: 200, headers: {} };
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw new GatewayError(405, `Method ${request.method} not allowed: read only access`, {
        allow: 'GET, HEAD, OPTIONS',
      });
    const target = parseTarget(request.target);
    const clean = cleanRawPath(target.rawPath);
    if (clean !== target.rawPath) return redirect(307, `${clean}${target.search}`);
    const moved = protocolRedirect(target);
    if (moved !== undefined) return moved;
    const route = await routeByHost(request, target, this.#options);
    if (route === undefined) throw new GatewayError(404, '404 page not found');
    if ('response' in route) return route.response;
    assertNoServiceWorker(request, route.origin.urlPath);
    const elsewhere =
      doubledNamespaceRedirect(route.origin, target.search) ?? canonicalNameRedirect(route.origin, target);
    if (elsewhere !== undefined) return elsewhere;
    const requested = requestedFormat(target.query, field(request, 'accept') ?? '');
    const { blocks, readAhead, buffers } = this.#options;
    const reading = { ...(readAhead && { readAhead: readAhead() }), ...(buffers && { buffers }) };
    return await this.#serve({ request, target, requested, origin: route.origin, blocks, headers, kept, ...reading });
  }

  async #serve(exchange: Exchange): Promise<GatewayResponse> {
    const { origin, headers, requested, request } = exchange;
    const segments = origin.below.split('/').filter((name) => name !== '');
    const invalid = (reason: string) =>
      new GatewayError(400, `invalid path ${JSON.stringify(contentPath(origin))}: ${reason}`);
    if (origin.root === '') throw invalid('path does not have enough components');
    if (segments.length > limits.segmentsMax) throw invalid(`it has more than ${limits.segmentsMax} names`);
    const cid = origin.namespace === 'ipfs' ? cidOf(origin.root) : undefined;
    if (origin.namespace === 'ipfs' && cid === undefined) throw invalid(`invalid cid: ${reasonOf(origin.root)}`);
    await this.#checkPolicy(exchange, cid === undefined ? [] : [cid], segments);
    const onlyCached = (field(request, 'cache-control') ?? '')
      .split(',')
      .some((part) => part.trim().toLowerCase() === 'only-if-cached');
    if (onlyCached && exchange.isFoundLocally !== true) return await this.#serveCached(exchange, cid, segments);
    headers['x-ipfs-path'] = contentPath(origin);
    const uri = ipfsUri(origin);
    if (uri !== undefined) headers['ipfs-uri'] = uri;
    if (requested.isNegotiated) headers['content-location'] = contentLocation(exchange);
    if (requested.format === 'ipns-record') return await serveRecord(exchange, this.#options.names ?? {});
    const name = cid === undefined ? await this.#resolve(exchange) : undefined;
    const root = cid ?? name?.cid;
    if (root === undefined)
      throw new GatewayError(500, `failed to resolve ${contentPath(origin)}: could not resolve name`);
    return await this.#serveContent(exchange, {
      root,
      segments: [...(name?.segments ?? []), ...segments],
      ttlSeconds: name?.ttlSeconds,
    });
  }

  async #resolve({ origin, request }: Exchange) {
    try {
      return await resolveName(origin.root, this.#options.names ?? {}, request.signal);
    } catch (error) {
      if (!isCairnError(error, 'IPNS_RECORD_INVALID')) throw error;
      throw new GatewayError(500, `failed to resolve ${contentPath(origin)}: ${error.message}`);
    }
  }

  /** Answers only-if-cached (https://specs.ipfs.tech/http-gateways/path-gateway/#cache-control-request-header). */
  async #serveCached(exchange: Exchange, cid: CID | undefined, segments: readonly string[]): Promise<GatewayResponse> {
    const { origin, blocks, request } = exchange;
    const name = cid === undefined ? await this.#resolve(exchange) : undefined;
    const root = cid ?? name?.cid;
    const all = [...(name?.segments ?? []), ...segments];
    if (name !== undefined) await this.#checkPolicy(exchange, [name.cid], all);
    const found = root && (await followPath(blocks, root, all, request).catch(ignoreMissing));
    if (found === undefined || !(await blocks.has(found.cid)))
      throw new GatewayError(412, `${JSON.stringify(contentPath(origin))} not in local datastore`);
    return await this.#serve({ ...exchange, isFoundLocally: true });
  }

  async #serveContent(exchange: Exchange, path: Omit<Content, 'cid'>): Promise<GatewayResponse> {
    const { headers, requested, request, blocks } = exchange;
    if (exchange.origin.namespace === 'ipns') await this.#checkPolicy(exchange, [path.root], path.segments);
    if (requested.format === 'car')
      return await serveCar(exchange, path, (roots) => this.#checkPolicy(exchange, roots, path.segments));
    let found: FollowedPath;
    try {
      found = await followPath(blocks, path.root, path.segments, request);
    } catch (error) {
      if (!isMissing(error)) throw error;
      const redirected = await serveRedirects(exchange, { ...path, cid: path.root });
      if (redirected === undefined) throw error;
      return redirected;
    }
    await this.#checkPolicy(exchange, found.roots, path.segments);
    const content = { ...path, cid: found.cid };
    const unchanged = notModified(exchange, content, ...tagsOf(exchange, found.cid));
    if (unchanged !== undefined) return unchanged;
    if (found.remainder.length > 0 && requested.format !== 'raw') {
      headers['x-ipfs-roots'] = found.roots.join(',');
      throw unsupportedKind(contentPath(exchange.origin), found);
    }
    if (!(await blocks.has(found.cid))) await blocks.get(found.cid, readOptions(exchange));
    const before = headers['x-ipfs-roots'];
    headers['x-ipfs-roots'] = found.roots.join(',');
    const response = await serve(exchange, content).catch((error: unknown) => {
      // Errors before the content is known have no roots.
      const keeps = error instanceof GatewayError && error.status !== 400;
      if (!keeps && before === undefined) delete headers['x-ipfs-roots'];
      throw error;
    });
    // A name can lead elsewhere later.
    if (exchange.origin.namespace === 'ipfs')
      exchange.kept.content = { path: contentPath(exchange.origin), roots: found.roots, names: path.segments };
    return response;
  }

  async #checkPolicy({ origin, request }: Exchange, roots: readonly CID[], names: readonly string[]): Promise<void> {
    const refusal = await this.#options.policy?.({ path: contentPath(origin), roots, names }, request);
    if (refusal !== undefined) throw new GatewayError(refusal.status, refusal.text);
  }
}

/** Reason why a text is not a CID, as Kubo words it. */
function reasonOf(text: string): string {
  try {
    return parseCid(text).toString();
  } catch (error) {
    return isCairnError(error, 'CID_INVALID') ? String(error.details.reason) : 'it cannot be read';
  }
}

/** Entity tags that a CID can have in a format. They need no block, so that a client that has the content costs no read. */
function tagsOf({ requested: { format }, request }: Exchange, cid: CID): readonly string[] {
  if (request.headers['if-none-match'] === undefined) return [];
  if (format === undefined) return [codecTag(cid), ...pageTags(cid)];
  return [format === 'tar' ? `W/"${cid}.x-tar"` : `"${cid}.${format}"`];
}

async function serve(exchange: Exchange, content: Content): Promise<GatewayResponse> {
  const { format } = exchange.requested;
  const { code } = content.cid;
  if (format === 'raw') return await serveBlock(exchange, content);
  if (format === 'tar') return await serveTar(exchange, content);
  if (format === 'dag-json' || format === 'dag-cbor' || isDocumentCodec(code))
    return await serveCodec(exchange, content);
  if (code !== codecs['dag-pb'] && code !== codecs.raw) return await serveBlock(exchange, content);
  return await serveUnixfs(exchange, content);
}

/** Reports whether a page is shown to a person. Programs that accept a format of blocks get errors as text. */
function isBrowser(request: GatewayRequest): boolean {
  return (field(request, 'accept') ?? '').startsWith('text/html');
}

function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
  return undefined;
}

/** Refuses service workers for a whole namespace, which would control content of others. */
function assertNoServiceWorker(request: GatewayRequest, path: string): void {
  if (field(request, 'service-worker') === 'script' && /^\/ip[fn]s\/[^/]+$/.test(path))
    throw new GatewayError(400, 'navigator.serviceWorker: registration is not allowed for this scope');
}

/** URL of a representation that the Accept field has chosen, so that caches store it apart. */
function contentLocation({ target, requested }: Exchange): string {
  const query = new URLSearchParams(target.query);
  if (requested.format !== undefined) query.set('format', requested.format);
  // A parameter of the query has precedence over that of the media type.
  for (const [key, value] of requested.params) if (!query.has(`car-${key}`)) query.set(`car-${key}`, value);
  query.sort();
  return `${target.rawPath}?${query.toString().replaceAll('*', '%2A')}`;
}

function unsupportedKind(path: string, { cid, remainder }: FollowedPath): GatewayError {
  const rest = `/${remainder.join('/')}`;
  return new GatewayError(
    501,
    `${JSON.stringify(rest)} of ${JSON.stringify(path)} could not be returned: reading IPLD Kinds other than Links (CBOR Tag 42) is not implemented: try reading ${JSON.stringify(`/ipfs/${cid}`)} instead`,
  );
}

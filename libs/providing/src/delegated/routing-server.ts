import { createHash } from 'node:crypto';
import { type CID, isCid, parseCid } from '@cairn/cid';
import { ipnsNameText, libp2pKeyCode, parseIpnsName } from '@cairn/ipns';
import { applyFilters, filtersOf, type PeerRecord } from './routing-filters.ts';

export interface RoutingRequest {
  readonly method: string;
  /** Path with query, from `/routing/v1` on. */
  readonly target: string;
  readonly headers: { readonly accept?: string | undefined; readonly 'content-type'?: string | undefined };
  /** Reads the body. Rejects if it is larger. */
  readonly body: (bytesMax: number) => Promise<Uint8Array>;
}

export interface RoutingResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** Addresses of this node. */
export interface RoutingIdentity {
  /** Peer ID in base58. */
  readonly id: string;
  readonly addresses: readonly string[];
}

/** Records of IPNS names in their binary form. */
export interface RoutingNames {
  /** Largest record in bytes. */
  readonly bytesMax: number;
  /** Returns the record of a name with its time to live; undefined without one. */
  get(
    name: CID,
  ): Promise<{ readonly bytes: Uint8Array; readonly ttlSeconds: number; readonly expiresAt: number } | undefined>;
  /** Stores a record. Resolves to a reason if it is refused. Absent: the server refuses all records. */
  put?(name: CID, bytes: Uint8Array): Promise<string | undefined>;
}

export interface RoutingServerOptions {
  /** Reports whether this node announces a block and may say so. */
  readonly isProvided: (cid: CID) => Promise<boolean>;
  /** Describes this node; undefined while it has no peer. */
  readonly identity: () => Promise<RoutingIdentity | undefined>;
  readonly names?: RoutingNames;
  /** Searches for the nodes of the DHT that are closest to the hash of a CID. Absent: the server does not search. */
  readonly closest?: (key: CID) => Promise<readonly RoutingIdentity[]>;
}

export interface RoutingServer {
  /** Answers requests to `/routing/v1`. */
  handle(request: RoutingRequest): Promise<RoutingResponse>;
}

const json = 'application/json';
const ndjson = 'application/x-ndjson';
const ipnsRecord = 'application/vnd.ipfs.ipns-record';
const staleSeconds = 172_800;
const cors = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, PUT, OPTIONS',
  'access-control-allow-headers': 'Accept, Authorization, Content-Type',
} as const;
const protocols = ['transport-bitswap'] as const;
const closestPath = /^\/routing\/v1\/dht\/closest\/peers\/([^/]+)$/;

/** Answer that ends a request. */
class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Server of Delegated Routing V1 without a transport (https://specs.ipfs.tech/routing/http-routing-v1/). It answers for this
 * node only, and starts no requests beside `closest`. Without records the status is 200 and the list is empty (IPIP-513).
 */
export function createRoutingServer(options: RoutingServerOptions): RoutingServer {
  const route = async (request: RoutingRequest): Promise<RoutingResponse> => {
    const { pathname, searchParams } = new URL(request.target, 'http://routing');
    const closestKey = closestPath.exec(pathname)?.[1];
    const [, , version, resource, key, ...rest] = pathname.split('/');
    if (closestKey === undefined && (version !== 'v1' || rest.length > 0))
      throw new Refusal(400, `The path ${pathname.slice(0, 100)} is unknown.`);
    if (request.method === 'OPTIONS') return { status: 204, headers: cors };
    if (closestKey !== undefined && isRead(request)) return await closest(request, closestKey, searchParams);
    if (resource === 'providers' && isRead(request) && key) return await providers(request, key, searchParams);
    if (resource === 'peers' && isRead(request) && key) return await peers(request, key, searchParams);
    if (resource === 'ipns' && isRead(request) && key) return await getName(request, key);
    if (resource === 'ipns' && request.method === 'PUT' && key) return await putName(request, key);
    const isKnown = resource === 'providers' || resource === 'peers' || resource === 'ipns';
    if (isKnown || closestKey !== undefined)
      throw new Refusal(501, `${request.method} ${pathname.slice(0, 100)} is not supported.`);
    throw new Refusal(400, `The path ${pathname.slice(0, 100)} is unknown.`);
  };

  const providers = async (request: RoutingRequest, key: string, query: URLSearchParams) => {
    const cid = cidOf(key);
    const type = typeOf(request.headers.accept);
    const record = (await options.isProvided(cid)) ? await ownRecord() : undefined;
    const found = record && applyFilters(record, filtersOf(query));
    return listResponse(type, 'Providers', found ? [found] : []);
  };

  const peers = async (request: RoutingRequest, key: string, query: URLSearchParams) => {
    const id = peerKeyOf(key);
    const type = typeOf(request.headers.accept);
    const record = await ownRecord();
    const isOwn = record !== undefined && id.equals(peerKeyOf(record.ID));
    const found = isOwn ? applyFilters(record, filtersOf(query)) : undefined;
    return listResponse(type, 'Peers', found ? [found] : []);
  };

  /** Closest nodes of the DHT (IPIP-476). */
  const closest = async (request: RoutingRequest, key: string, query: URLSearchParams) => {
    const { closest: search } = options;
    if (search === undefined) throw new Refusal(501, 'This router searches no DHT for this request.');
    const hash = searchedKeyOf(key);
    const type = typeOf(request.headers.accept);
    const filters = filtersOf(query);
    const records = (await search(hash)).map(({ id, addresses }) => recordOf(id, addresses, []));
    return listResponse(
      type,
      'Peers',
      records.flatMap((record) => applyFilters(record, filters) ?? []),
    );
  };

  const ownRecord = async (): Promise<PeerRecord | undefined> => {
    const identity = await options.identity();
    return identity && recordOf(identity.id, identity.addresses, protocols);
  };

  const getName = async ({ headers }: RoutingRequest, key: string): Promise<RoutingResponse> => {
    const accepted = headers.accept ?? '*/*';
    if (!accepted.includes(ipnsRecord) && !accepted.includes('*/*'))
      throw new Refusal(406, `The content type is not supported. Retry with Accept: ${ipnsRecord}.`);
    const name = nameOf(key);
    const record = await options.names?.get(name);
    if (record === undefined) {
      const type = { 'content-type': 'text/plain; charset=utf-8' };
      return { status: 200, headers: { ...cors, ...type, ...cacheFor(15) }, body: Buffer.from('routing: not found\n') };
    }
    const hash = createHash('sha256').update(record.bytes).digest('hex').slice(0, 32);
    return {
      status: 200,
      headers: {
        ...cors,
        ...cacheFor(record.ttlSeconds > 0 ? Math.floor(record.ttlSeconds) : 60, record.expiresAt),
        'content-type': ipnsRecord,
        'content-disposition': `attachment; filename="${ipnsNameText(name)}.ipns-record"`,
        etag: `"${hash}"`,
        expires: new Date(record.expiresAt).toUTCString(),
        vary: 'Accept',
      },
      body: record.bytes,
    };
  };

  const putName = async (request: RoutingRequest, key: string): Promise<RoutingResponse> => {
    const { names } = options;
    if (!request.headers['content-type']?.includes(ipnsRecord))
      throw new Refusal(406, `The content type is not supported. Retry with Content-Type: ${ipnsRecord}.`);
    if (names?.put === undefined) throw new Refusal(501, 'This router stores no records.');
    const name = nameOf(key);
    const bytes = await request.body(names.bytesMax).catch(() => {
      throw new Refusal(400, `The record has more than ${names.bytesMax} bytes.`);
    });
    const reason = await names.put(name, bytes);
    if (reason !== undefined) throw new Refusal(400, reason);
    return { status: 200, headers: cors };
  };

  return {
    async handle(request) {
      try {
        const response = await route(request);
        if (request.method !== 'HEAD') return response;
        const { length = 0 } = response.body ?? {};
        return { status: response.status, headers: { ...response.headers, 'content-length': String(length) } };
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const headers = { ...cors, 'content-type': 'text/plain; charset=utf-8' };
        return { status: error.status, headers, body: Buffer.from(`${error.message}\n`) };
      }
    },
  };
}

/** @param expiresAt time in milliseconds after which caches must not serve the body */
function cacheFor(seconds: number, expiresAt = Number.POSITIVE_INFINITY) {
  const remaining = Math.max(0, Math.floor((expiresAt - Date.now()) / 1000));
  const stale = Math.min(staleSeconds, remaining);
  return { 'cache-control': `public, max-age=${seconds}, stale-while-revalidate=${stale}, stale-if-error=${stale}` };
}

function isRead({ method }: RoutingRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

function recordOf(ID: string, Addrs: readonly string[], Protocols: readonly string[]): PeerRecord {
  return { Schema: 'peer', ID, Addrs, Protocols };
}

function listResponse(type: string, list: 'Providers' | 'Peers', records: readonly PeerRecord[]): RoutingResponse {
  const lines = records.map((record) => `${JSON.stringify(record)}\n`).join('');
  const headers = { ...cors, 'content-type': type, vary: 'Accept', ...cacheFor(records.length > 0 ? 300 : 15) };
  return { status: 200, headers, body: Buffer.from(type === ndjson ? lines : JSON.stringify({ [list]: records })) };
}

/** Chooses the type of a list by the field Accept. */
function typeOf(accept: string | undefined): string {
  if (accept === undefined) return json;
  const types = accept.split(',').map((item) => item.split(';')[0]?.trim().toLowerCase());
  if (types.includes(ndjson)) return ndjson;
  if (types.some((item) => item === json || item === '*/*' || item === 'application/*')) return json;
  throw new Refusal(406, `The content type is not supported. Retry with Accept: ${json} or ${ndjson}.`);
}

/** Accepts a peer ID and any CID: the DHT orders nodes by the hash. */
function searchedKeyOf(text: string): CID {
  const key = parseIpnsName(safeDecode(text) ?? '');
  if (key === undefined)
    throw new Refusal(422, `${JSON.stringify(text.slice(0, 100))} is neither a CID nor a peer ID.`);
  return key;
}

function cidOf(text: string): CID {
  const decoded = safeDecode(text);
  if (decoded === undefined || !isCid(decoded))
    throw new Refusal(422, `${JSON.stringify(text.slice(0, 100))} is not a CID.`);
  return parseCid(decoded);
}

/** Accepts a peer ID as a CID and in base58. */
function peerKeyOf(text: string): CID {
  const key = parseIpnsName(safeDecode(text) ?? '');
  if (key === undefined) throw new Refusal(422, `${JSON.stringify(text.slice(0, 100))} is not a peer ID.`);
  return key;
}

function nameOf(text: string): CID {
  const decoded = safeDecode(text) ?? '';
  const name = parseIpnsName(decoded);
  const codec = name !== undefined && isCid(decoded) ? parseCid(decoded).code : libp2pKeyCode;
  if (name !== undefined && (codec === libp2pKeyCode || decoded.startsWith('Qm'))) return name;
  throw new Refusal(400, `${JSON.stringify(text.slice(0, 100))} is not an IPNS name: a CID with the codec libp2p-key.`);
}

function safeDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

import type { CID } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { NameUnresolvedError } from './errors.ts';
import { cidOf, parseIpnsName } from './ipns-name.ts';
import { verifyIpnsRecord } from './ipns-record.ts';
import { limits } from './limits.ts';

/** Value of a DNSLink name. */
export interface DnsLink {
  /** Content path, such as /ipfs/<cid> or /ipns/<name>. */
  readonly path: string;
  /** Seconds that a reader may cache it. */
  readonly ttlSeconds?: number;
}

/** Sources of names. */
export interface NameSources {
  /** Returns the newest record of an IPNS name as published; it is verified afterwards. */
  readonly ipnsRecord?: (name: CID, signal?: AbortSignal) => Promise<Uint8Array | undefined>;
  /** Returns the DNSLink of a domain, without resolving names within it. */
  readonly dnslink?: (domain: string, signal?: AbortSignal) => Promise<DnsLink | undefined>;
}

/** Immutable content of a name. */
export interface ResolvedName {
  readonly cid: CID;
  readonly segments: readonly string[];
  /** Least time to live of the names on the way, in seconds. Absent if none has one. */
  readonly ttlSeconds?: number;
}

export interface ResolveNameOptions {
  readonly signal?: AbortSignal | undefined;
  /** Follows names that lead to names. Default true. */
  readonly isRecursive?: boolean;
}

/**
 * Resolves an IPNS name or a DNSLink domain to a content path, through further names unless `isRecursive` is false.
 * @throws NAME_UNRESOLVED, IPNS_RECORD_INVALID
 */
export async function resolveNamePath(
  name: string,
  sources: NameSources,
  { signal, isRecursive = true }: ResolveNameOptions = {},
): Promise<DnsLink> {
  let current = name;
  let segments: readonly string[] = [];
  let ttlSeconds: number | undefined;
  for (let depth = 0; depth < limits.nameDepthMax; depth++) {
    signal?.throwIfAborted();
    const link = await linkOf(current, sources, signal);
    if (link.ttlSeconds !== undefined) ttlSeconds = Math.min(ttlSeconds ?? Number.POSITIVE_INFINITY, link.ttlSeconds);
    const [namespace, root, ...names] = link.path.split('/').filter((part) => part !== '');
    segments = [...names, ...segments];
    if (namespace === undefined || root === undefined || segments.length > limits.segmentsMax)
      throw new NameUnresolvedError(name, 'bad-value');
    if (namespace !== 'ipns' || !isRecursive)
      return { path: `/${[namespace, root, ...segments].join('/')}`, ...(ttlSeconds !== undefined && { ttlSeconds }) };
    current = root;
  }
  throw new NameUnresolvedError(name, 'recursion');
}

/**
 * Resolves an IPNS name or a DNSLink domain to content, through further names. Returns undefined if a name has no value.
 * @throws IPNS_RECORD_INVALID
 */
export async function resolveName(
  name: string,
  sources: NameSources,
  signal?: AbortSignal,
): Promise<ResolvedName | undefined> {
  try {
    const { path, ttlSeconds } = await resolveNamePath(name, sources, { signal });
    const [, namespace, root = '', ...segments] = path.split('/');
    const cid = namespace === 'ipfs' ? cidOf(root) : undefined;
    return cid && { cid, segments, ...(ttlSeconds !== undefined && { ttlSeconds }) };
  } catch (error) {
    if (isCairnError(error, 'NAME_UNRESOLVED')) return undefined;
    throw error;
  }
}

async function linkOf(name: string, { ipnsRecord, dnslink }: NameSources, signal?: AbortSignal): Promise<DnsLink> {
  const key = parseIpnsName(name);
  if (key === undefined) {
    const link = await dnslink?.(name, signal);
    if (link === undefined) throw new NameUnresolvedError(name, 'no-dnslink');
    return link;
  }
  const bytes = await ipnsRecord?.(key, signal);
  if (bytes === undefined) throw new NameUnresolvedError(name, 'no-record');
  const { value, ttlSeconds } = verifyIpnsRecord(key, bytes);
  return { path: value, ttlSeconds };
}

import type { CID } from '@cairn/cid';
import { cidOf, parseIpnsName } from './ipns-key.ts';
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

/**
 * Resolves an IPNS name or a DNSLink domain to content, through further names. Returns undefined if a name has no value.
 * @throws IPNS_RECORD_INVALID
 */
export async function resolveName(
  name: string,
  { ipnsRecord, dnslink }: NameSources,
  signal?: AbortSignal,
): Promise<ResolvedName | undefined> {
  let current = name;
  let segments: readonly string[] = [];
  let ttlSeconds: number | undefined;
  for (let depth = 0; depth < limits.nameDepthMax; depth++) {
    signal?.throwIfAborted();
    const key = parseIpnsName(current);
    const link = key === undefined ? await dnslink?.(current, signal) : await recordOf(key, ipnsRecord, signal);
    if (link === undefined) return undefined;
    if (link.ttlSeconds !== undefined) ttlSeconds = Math.min(ttlSeconds ?? Number.POSITIVE_INFINITY, link.ttlSeconds);
    const [namespace, root, ...names] = link.path.split('/').filter((part) => part !== '');
    segments = [...names, ...segments];
    if (root === undefined || segments.length > limits.segmentsMax) return undefined;
    if (namespace === 'ipns') current = root;
    else {
      const cid = namespace === 'ipfs' ? cidOf(root) : undefined;
      return cid && { cid, segments, ...(ttlSeconds !== undefined && { ttlSeconds }) };
    }
  }
  return undefined;
}

async function recordOf(
  key: CID,
  source: NameSources['ipnsRecord'],
  signal?: AbortSignal,
): Promise<DnsLink | undefined> {
  const bytes = await source?.(key, signal);
  if (bytes === undefined) return undefined;
  const { value, ttlSeconds } = verifyIpnsRecord(key, bytes);
  return { path: value, ttlSeconds };
}

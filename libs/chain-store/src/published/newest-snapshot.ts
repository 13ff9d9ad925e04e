import { isCairnError } from '@cairn/errors';
import type { ObjectStore } from '@cairn/object-store';
import * as z from 'zod';
import { SnapshotError } from '../snapshot/snapshot-error.ts';
import { isSignedBy, type SnapshotSigner } from './snapshot-keys.ts';

const count = z.int().nonnegative();

const statementSchema = z.object({
  network: z.string().min(1),
  chainId: z.string().regex(/^\d+$/),
  head: z.object({ number: count, hash: z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{64}$/)]) }),
  base: count,
  root: z.string().regex(/^[a-z0-9]{59}$/),
  bytes: count,
  chunks: count,
  key: z.string(),
  publishedAt: count,
});

/** Statement of a deployment about its newest snapshot of a network. The root is the CID of the manifest, and so of all bytes. */
export type PublishedSnapshot = Readonly<z.infer<typeof statementSchema>>;

const noticeSchema = z.object({ statement: z.string(), publicKey: z.string(), signature: z.string() });

/** Longest notice that is read. */
const noticeBytesMax = 16 * 1024;

/** Prefix of all objects of a network. */
export function snapshotPrefix(network: string): string {
  return `chains/${network}/`;
}

/** Key of a snapshot. Numbers have a fixed length, so that keys are in the order of heads. */
export function snapshotKey({ network, head, root }: Pick<PublishedSnapshot, 'network' | 'head' | 'root'>): string {
  return `${snapshotPrefix(network)}${String(head.number).padStart(16, '0')}-${root}.car`;
}

const noticeKey = (network: string) => `${snapshotPrefix(network)}newest.json`;

/** Names a snapshot as the newest one of its network. Durable once resolved. */
export async function announceSnapshot(
  objects: ObjectStore,
  snapshot: PublishedSnapshot,
  signer: SnapshotSigner,
): Promise<void> {
  const statement = JSON.stringify(snapshot);
  const { publicKey } = signer;
  const notice = JSON.stringify({ statement, publicKey, signature: signer.sign(statement) });
  await objects.put(noticeKey(snapshot.network), Buffer.from(notice));
}

/**
 * Reads which snapshot of a network is the newest.
 * @param publicKeys keys whose signature is accepted
 * @returns undefined if none was published
 * @throws SNAPSHOT_UNTRUSTED
 */
export async function newestSnapshot(
  objects: ObjectStore,
  network: string,
  publicKeys: readonly string[],
  signal?: AbortSignal,
): Promise<PublishedSnapshot | undefined> {
  const key = noticeKey(network);
  let bytes: Uint8Array;
  try {
    bytes = await objects.get(key, { bytesMax: noticeBytesMax, ...(signal && { signal }) });
  } catch (error) {
    if (isCairnError(error, 'OBJECT_NOT_FOUND')) return undefined;
    throw error;
  }
  const notice = noticeSchema.safeParse(parseJson(Buffer.from(bytes).toString()));
  if (!notice.success) throw untrusted(key, 'is not a signed statement');
  const { statement, publicKey, signature } = notice.data;
  if (!publicKeys.includes(publicKey))
    throw untrusted(key, `is signed by ${publicKey.slice(0, 64)}; expected ${publicKeys.join(' or ')}`);
  if (!isSignedBy(publicKey, statement, signature)) throw untrusted(key, 'has a signature that does not match');
  const snapshot = statementSchema.safeParse(parseJson(statement));
  if (!snapshot.success) throw untrusted(key, 'states other fields than this version reads');
  const { data } = snapshot;
  // A statement about another network, copied here, has a valid signature too.
  if (data.network !== network || data.key !== snapshotKey(data)) throw untrusted(key, `is about ${data.network}`);
  return data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function untrusted(key: string, fault: string): SnapshotError {
  return new SnapshotError('SNAPSHOT_UNTRUSTED', `The object ${key} ${fault}.`);
}

import { keccak256 } from '@cairn/cid';
import { compareBytes, hexDigitsFromBytes } from '@cairn/platform';
import { notYetKnown, type UpstreamPool } from '@cairn/upstream';
import type { ContentCache } from './content-cache.ts';
import { provenStateLimits } from './limits.ts';
import { codeOf, type VerifiedProof, verifiedCode, verifiedProof } from './parse-proof.ts';
import type { AccountNeed } from './state-needs.ts';

/** A verified block, whose state is read. */
export interface StateBlock {
  /** `0x` and 64 hex digits. */
  readonly hash: string;
  readonly number: bigint;
  /** 32 bytes, from a verified header. */
  readonly stateRoot: Uint8Array;
}

export interface FetchOptions {
  readonly pool: UpstreamPool;
  readonly cache: ContentCache;
  readonly signal?: AbortSignal | undefined;
}

const hexOf = (bytes: Uint8Array) => `0x${hexDigitsFromBytes(bytes)}`;
const emptyCodeHash = keccak256(new Uint8Array(0));

/**
 * Fetches proofs and code in one round: all calls share one turn of the event loop, and therefore one batch. Long lists are
 * fetched in parts. Verified nodes and code enter the cache.
 * @throws UpstreamError, or the reason of the signal
 */
export async function fetchNeeds(
  block: StateBlock,
  needs: readonly AccountNeed[],
  options: FetchOptions,
): Promise<void> {
  for (const part of chunksOf(needs, provenStateLimits.concurrentMax))
    await Promise.all(part.map((need) => fetchAccount(block, need, options)));
}

async function fetchAccount(block: StateBlock, need: AccountNeed, options: FetchOptions): Promise<void> {
  const { address, slots, needsCode } = need;
  const { cache } = options;
  const chunks = chunksOf(slots, provenStateLimits.slotsPerProofMax);
  const proofs = Promise.all(chunks.map((chunk) => fetchProof(block, address, chunk, options)));
  // The code hash is known only with the proof. The code is fetched in the same round and verified after it.
  const code = needsCode ? fetchCode(block, address, undefined, options).catch(() => undefined) : undefined;
  const [first] = await proofs;
  const codeHash = first?.account?.codeHash;
  if (code === undefined || codeHash === undefined || isKnown(codeHash, cache)) return;
  const early = await code;
  const isRight = early !== undefined && compareBytes(keccak256(early), codeHash) === 0;
  cache.put(codeHash, isRight ? early : await fetchCode(block, address, codeHash, options));
}

function isKnown(codeHash: Uint8Array, cache: ContentCache): boolean {
  return compareBytes(codeHash, emptyCodeHash) === 0 || cache.get(codeHash) !== undefined;
}

async function fetchProof(
  block: StateBlock,
  address: Uint8Array,
  slots: readonly Uint8Array[],
  { pool, cache, signal }: FetchOptions,
): Promise<VerifiedProof> {
  const names = slots.map(hexOf);
  const { value } = await pool.request(
    {
      method: 'eth_getProof',
      params: [hexOf(address), names, { blockHash: block.hash }],
      need: { kind: 'proof', number: block.number },
      shareAs: `proof ${block.hash} ${hexOf(address)} ${names.join()}`,
      parse: (result) => {
        if (result === null) throw notYetKnown(`block ${block.hash} is not known yet`);
        return verifiedProof(result, block.stateRoot, address, slots);
      },
    },
    { ...(signal && { signal }) },
  );
  for (const node of value.nodes) cache.put(keccak256(node), node);
  return value;
}

async function fetchCode(
  block: StateBlock,
  address: Uint8Array,
  codeHash: Uint8Array | undefined,
  { pool, signal }: FetchOptions,
): Promise<Uint8Array> {
  const { value } = await pool.request(
    {
      method: 'eth_getCode',
      params: [hexOf(address), { blockHash: block.hash }],
      need: { kind: 'state', number: block.number },
      shareAs: `code ${block.hash} ${hexOf(address)} ${codeHash ? 'verified' : ''}`,
      parse: (result) => {
        if (result === null) throw notYetKnown(`block ${block.hash} is not known yet`);
        return codeHash === undefined ? codeOf(result) : verifiedCode(result, codeHash);
      },
    },
    { ...(signal && { signal }) },
  );
  return value;
}

/** Lists of at most `length` entries; one empty list for none. */
export function chunksOf<T>(items: readonly T[], length: number): T[][] {
  const chunks: T[][] = [];
  for (let at = 0; at === 0 || at < items.length; at += length) chunks.push(items.slice(at, at + length));
  return chunks;
}

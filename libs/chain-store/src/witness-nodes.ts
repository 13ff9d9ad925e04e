import { type AccountChange, bytesFromHex, decodeRlp, type Hex } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import type { Database } from '@cairn/embedded-store';
import type { RecordReader } from './flat-state.ts';
import { stateRootsOver } from './state-roots.ts';
import { TrieNodes } from './trie-nodes.ts';

/** Reads and writes of a block. */
export interface WitnessScope {
  /** Slots by address of the account. */
  readonly reads: ReadonlyMap<Hex, ReadonlySet<Hex>>;
  readonly changes: readonly AccountChange[];
}

/** Records the nodes that are read from the table. */
class WatchedNodes extends TrieNodes {
  readonly met = new Map<string, Uint8Array>();

  override load(hash: Uint8Array): Uint8Array {
    const node = super.load(hash);
    const name = Buffer.from(hash).toString('hex');
    if (!this.#kept.has(name)) this.met.set(name, node);
    return node;
  }

  readonly #kept = new Set<string>();

  override save(hash: Uint8Array, node: Uint8Array): void {
    this.#kept.add(Buffer.from(hash).toString('hex'));
    super.save(hash, node);
  }
}

/**
 * Returns the trie nodes that prove the reads from a state, and that the computation of the next state root reads.
 * @throws BLOCK_CORRUPT for a node that is missing or wrong
 */
export async function witnessNodes(
  table: Database,
  state: RecordReader,
  root: Uint8Array,
  { reads, changes }: WitnessScope,
): Promise<Uint8Array[]> {
  const nodes = new WatchedNodes(table);
  const accounts = nodes.trie(root);
  for (const [address, slots] of reads) {
    const found = accounts.get(keccak256(bytesFromHex(address)));
    const [, , storageRoot] = found ? (decodeRlp('account', found) as Uint8Array[]) : [];
    if (storageRoot === undefined || slots.size === 0) continue;
    const storage = nodes.trie(storageRoot);
    for (const slot of slots) storage.get(keccak256(bytesFromHex(slot)));
  }
  await stateRootsOver(state, nodes, root).after(withoutNeedlessReads(changes));
  return [...nodes.met.values()];
}

/** Puts writes before removals: a branch node needs the sibling of a removed child only when one child remains. */
function withoutNeedlessReads(changes: readonly AccountChange[]): AccountChange[] {
  const isRemoval = ({ account }: AccountChange) => (account === undefined ? 1 : 0);
  return [...changes]
    .sort((a, b) => isRemoval(a) - isRemoval(b))
    .map((change) => ({
      ...change,
      slots: [...change.slots].sort(([, a], [, b]) => Number(a.length === 0) - Number(b.length === 0)),
    }));
}

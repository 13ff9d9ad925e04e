import { type AccountChange, bytesFromHex, decodeRlp, type Hex } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import type { Database } from '@cairn/embedded-store';
import type { RecordReader } from './flat-state.ts';
import { stateRootsOver } from './state-roots.ts';
import { TrieNodes } from './trie-nodes.ts';

/** Reads of a block from a state, and its writes. */
export interface WitnessScope {
  /** Accounts by address, with slots of theirs. */
  readonly reads: ReadonlyMap<Hex, ReadonlySet<Hex>>;
  readonly changes: readonly AccountChange[];
}

/** Remembers the nodes that are read from the table. */
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
 * The nodes of the tries behind a state that prove what is read, and that a root of the state with the changes takes.
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

/** Writes before removals: a branch that loses a child needs its neighbour only where it keeps but one. */
function withoutNeedlessReads(changes: readonly AccountChange[]): AccountChange[] {
  const isRemoval = ({ account }: AccountChange) => (account === undefined ? 1 : 0);
  return [...changes]
    .sort((a, b) => isRemoval(a) - isRemoval(b))
    .map((change) => ({
      ...change,
      slots: [...change.slots].sort(([, a], [, b]) => Number(a.length === 0) - Number(b.length === 0)),
    }));
}

import { decodeRlp, type StorageRange } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import { isEmptyTrieRoot, trieLeaves } from '@cairn/trie';
import type { AccountRecord, Tables } from './tables.ts';
import { TrieNodes } from './trie-nodes.ts';

/** Slot keys to scan at most for the slots of hashes: about a tenth of a second. */
const keysMax = 100_000;

/** Reads slots in the order of their hashes, from the first hash at or after `start`. @throws BLOCK_CORRUPT */
export function readStorageRange(
  tables: Pick<Tables, 'nodes' | 'slots'>,
  address: Uint8Array,
  { state, incarnation }: AccountRecord,
  { start, limit }: { readonly start: Uint8Array; readonly limit: number },
): StorageRange {
  const found: { readonly hash: Uint8Array; readonly value: Uint8Array }[] = [];
  if (state === undefined || isEmptyTrieRoot(state.storageRoot)) return { isEmpty: true, entries: [], next: undefined };
  let next: Uint8Array | undefined;
  for (const { key, value } of trieLeaves(new TrieNodes(tables.nodes), state.storageRoot, start)) {
    if (found.length >= limit) {
      next = key;
      break;
    }
    const content = decodeRlp('storage value', value);
    found.push({ hash: key, value: content instanceof Uint8Array ? content : new Uint8Array(0) });
  }
  const slots = slotsBehind(tables, address, incarnation, new Set(found.map(({ hash }) => nameOf(hash))));
  return { isEmpty: false, entries: found.map((entry) => ({ ...entry, slot: slots.get(nameOf(entry.hash)) })), next };
}

/** Finds the slots of these hashes among all slots that the account ever had. */
function slotsBehind(
  { slots }: Pick<Tables, 'slots'>,
  address: Uint8Array,
  incarnation: number,
  wanted: ReadonlySet<string>,
): ReadonlyMap<string, Uint8Array> {
  const found = new Map<string, Uint8Array>();
  const prefix = Buffer.alloc(address.length + 4);
  prefix.set(address);
  prefix.writeUInt32BE(incarnation, address.length);
  let last = Buffer.alloc(0);
  let count = 0;
  if (wanted.size === 0) return found;
  for (const key of slots.keys({ prefix, limit: keysMax })) {
    if (++count > keysMax || found.size === wanted.size) break;
    const slot = Buffer.from(key.subarray(prefix.length, prefix.length + 32));
    if (slot.equals(last)) continue;
    last = slot;
    const name = nameOf(keccak256(slot));
    if (wanted.has(name)) found.set(name, slot);
  }
  return found;
}

const nameOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

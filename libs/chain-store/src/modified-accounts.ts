import { type Header, type Hex, hexFromBytes } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import type { RecordReader } from './flat-state.ts';
import { decodeChanges } from './state-changes.ts';
import type { AccountRecord, Tables } from './tables.ts';

/** Account keys to scan at most when the changes of blocks are no longer stored: about half a second. */
const keysMax = 500_000;
/** Blocks whose changes are read at most. */
const blocksMax = 1_024;

/** Blocks of one branch, newest first, with the states before and after them. */
export interface BlockSpan {
  readonly before: RecordReader;
  readonly after: RecordReader;
  readonly blocks: Iterable<Header>;
}

/**
 * Returns accounts of the later state that are new or different, ordered by the hashes of their addresses; `undefined` when
 * the accounts to scan exceed the limit.
 */
export function modifiedAccounts(
  tables: Pick<Tables, 'accounts' | 'changes'>,
  { before, after, blocks }: BlockSpan,
): Uint8Array[] | undefined {
  const candidates = changedIn(tables, blocks) ?? allAccounts(tables);
  if (candidates === undefined) return undefined;
  const modified = [...candidates.values()].filter((address) => {
    const state = after.record(address)?.state;
    return state !== undefined && !isSame(before.record(address)?.state, state);
  });
  const byHash = modified.map((address) => ({ address, hash: Buffer.from(keccak256(address)) }));
  return byHash.sort((a, b) => Buffer.compare(a.hash, b.hash)).map(({ address }) => address);
}

/** Returns accounts that the blocks changed; `undefined` when changes of a block are no longer stored. */
function changedIn(
  { changes }: Pick<Tables, 'changes'>,
  blocks: Iterable<Header>,
): ReadonlyMap<Hex, Uint8Array> | undefined {
  const found = new Map<Hex, Uint8Array>();
  let count = 0;
  for (const { hash } of blocks) {
    const kept = changes.get(Buffer.from(hash.slice(2), 'hex'));
    if (kept === undefined || ++count > blocksMax) return undefined;
    for (const { table, key } of decodeChanges(kept)) if (table === 'accounts') found.set(hexFromBytes(key), key);
  }
  return found;
}

function allAccounts({ accounts }: Pick<Tables, 'accounts'>): ReadonlyMap<Hex, Uint8Array> | undefined {
  const found = new Map<Hex, Uint8Array>();
  let count = 0;
  for (const key of accounts.keys()) {
    if (++count > keysMax) return undefined;
    const address = key.subarray(0, 20);
    found.set(hexFromBytes(address), address);
  }
  return found;
}

function isSame(one: AccountRecord['state'], other: NonNullable<AccountRecord['state']>): boolean {
  return (
    one !== undefined &&
    one.nonce === other.nonce &&
    one.balance === other.balance &&
    Buffer.compare(one.codeHash, other.codeHash) === 0 &&
    Buffer.compare(one.storageRoot, other.storageRoot) === 0
  );
}

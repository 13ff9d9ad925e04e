import { type AccountChange, type BlockRun, bytesFromHex, type Hex, hexFromBytes } from '@cairn/block-model';
import type { CallEngine, Deadline } from '@cairn/evm';
import { StateCache } from '@cairn/evm';
import { RecordingState, RecordingWorld } from '../recording-state.ts';
import { runBlock } from './block-runner.ts';
import { systemAddress } from './system-calls.ts';

/** Reads and writes of a block: the part of the state that a node without state needs to execute it. */
export interface BlockAccesses {
  /** Slots that were read, by account. Accounts without a read slot have an empty set. */
  readonly reads: ReadonlyMap<Hex, ReadonlySet<Hex>>;
  readonly codes: readonly Uint8Array[];
  /** Lowest block whose hash was read. */
  readonly lowestHash: bigint | undefined;
  readonly changes: readonly AccountChange[];
}

/** Executes a block and records its reads and writes. @throws BLOCK_INVALID, TRANSACTION_INVALID, EXECUTION_TIMEOUT, and the errors of the state */
export async function collectBlockAccesses(
  { roots, state, blockHashes, ...run }: BlockRun,
  engine: CallEngine,
  deadline?: Deadline,
): Promise<BlockAccesses> {
  const recording = new RecordingState(state);
  const world = new RecordingWorld(StateCache.of(recording));
  const changes = new Map<Hex, AccountChange>();
  let lowestHash: bigint | undefined;
  const recorded: BlockRun = {
    ...run,
    state: recording,
    roots: {
      after(each) {
        for (const change of each) {
          const key = hexFromBytes(change.address);
          changes.set(key, merged(changes.get(key), change));
        }
        return roots.after(each);
      },
    },
    blockHashes(number) {
      if (lowestHash === undefined || number < lowestHash) lowestHash = number;
      return blockHashes(number);
    },
  };
  await runBlock(recorded, engine, { world, deadline });
  // The sender of system calls usually has no account, and the calls do not depend on one.
  if (state.getAccount(systemAddress) === undefined) recording.reads.delete(hexFromBytes(systemAddress));
  return { reads: recording.reads, codes: [...world.codesRead.values()], lowestHash, changes: [...changes.values()] };
}

/** Merges two successive changes of one account. */
function merged(before: AccountChange | undefined, change: AccountChange): AccountChange {
  if (before === undefined || change.isStorageCleared) return change;
  const slots = new Map([...before.slots, ...change.slots].map(([slot, value]) => [hexFromBytes(slot), value]));
  return {
    ...change,
    isStorageCleared: before.isStorageCleared,
    slots: [...slots].map(([slot, value]) => [bytesFromHex(slot), value]),
  };
}

import {
  type AccountChange,
  type BlockRun,
  bytesFromHex,
  type Hex,
  hexFromBytes,
  type StateReader,
} from '@cairn/block-model';
import type { CallEngine, Deadline } from '../engine/call-engine.ts';
import { StateCache } from '../state-cache.ts';
import { WorldState } from '../world-state.ts';
import { runBlock } from './block-runner.ts';
import { systemAddress } from './system-calls.ts';

/** Reads and writes of a block: the part of the state that another node needs to run it. */
export interface BlockRecord {
  /** Accounts by address, with the slots of theirs that were read. */
  readonly reads: ReadonlyMap<Hex, ReadonlySet<Hex>>;
  readonly codes: readonly Uint8Array[];
  /** The lowest block whose hash was asked for. */
  readonly lowestHash: bigint | undefined;
  readonly changes: readonly AccountChange[];
}

/** Runs a block and records its reads and changes. @throws BLOCK_INVALID, TRANSACTION_INVALID, EXECUTION_TIMEOUT, and what the state throws */
export async function recordBlock(
  { roots, state, blockHashes, ...run }: BlockRun,
  engine: CallEngine,
  deadline?: Deadline,
): Promise<BlockRecord> {
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
  // The protocol has no account of its own, and what it calls does not depend on one.
  if (state.getAccount(systemAddress) === undefined) recording.reads.delete(hexFromBytes(systemAddress));
  return { reads: recording.reads, codes: [...world.codesRead.values()], lowestHash, changes: [...changes.values()] };
}

/** Two changes of an account in their order as one. */
function merged(before: AccountChange | undefined, change: AccountChange): AccountChange {
  if (before === undefined || change.isStorageCleared) return change;
  const slots = new Map([...before.slots, ...change.slots].map(([slot, value]) => [hexFromBytes(slot), value]));
  return {
    ...change,
    isStorageCleared: before.isStorageCleared,
    slots: [...slots].map(([slot, value]) => [bytesFromHex(slot), value]),
  };
}

/** Codes are shared by all states, so that those that a block reads are seen here. */
class RecordingWorld extends WorldState {
  readonly codesRead = new Map<Hex, Uint8Array>();

  override getCode(address: Uint8Array): Uint8Array {
    const code = super.getCode(address);
    if (code.length > 0) this.codesRead.set(hexFromBytes(address), code);
    return code;
  }
}

class RecordingState implements StateReader {
  readonly #state: StateReader;
  readonly reads = new Map<Hex, Set<Hex>>();

  constructor(state: StateReader) {
    this.#state = state;
  }

  getAccount(address: Uint8Array): ReturnType<StateReader['getAccount']> {
    this.#slotsOf(address);
    return this.#state.getAccount(address);
  }

  getCode(codeHash: Uint8Array): Uint8Array {
    return this.#state.getCode(codeHash);
  }

  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    this.#slotsOf(address).add(hexFromBytes(slot));
    return this.#state.getStorage(address, slot);
  }

  #slotsOf(address: Uint8Array): Set<Hex> {
    const key = hexFromBytes(address);
    let slots = this.reads.get(key);
    if (slots === undefined) {
      slots = new Set();
      this.reads.set(key, slots);
    }
    return slots;
  }
}

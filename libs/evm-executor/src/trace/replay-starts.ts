// Hot path of traces: the rows debug_traceTransaction of tools/bench/peers.mjs. replay-starts.spec.ts compares traces from a kept
// start with those of a whole replay.
import type { AccountChange, AccountState, Hex, StateReader } from '@cairn/block-model';
import { mapKeyFromBytes, StateCache, type WorldState } from '@cairn/evm';

/** State before a transaction of a block, after the system calls and the transactions before it. */
export interface ReplayStart {
  readonly index: number;
  readonly state: StateReader;
  /** Gas and number of logs of the transactions before. */
  readonly gasUsed: bigint;
  readonly logs: number;
}

/** Most changed accounts and slots that are kept for one parent state, about 4 MiB. The newest start is kept in any case. */
const changesMax = 20_000;
/** Share of each start in that bound, for its objects and for the cache of what traces read from it. */
const changesOfStart = 100;

/** Starts of traces on one parent state, so that the next trace of a block does not repeat the transactions before. */
export class ReplayStarts {
  /** By block, then by index: the oldest first. */
  readonly #kept = new Map<string, { readonly block: Hex; readonly start: ReplayStart; readonly changes: number }>();
  #changes = 0;

  /** The last kept start at or before a transaction. */
  find(blockHash: Hex, index: number): ReplayStart | undefined {
    const exact = this.#kept.get(`${blockHash} ${index}`);
    if (exact !== undefined) return exact.start;
    let best: ReplayStart | undefined;
    for (const { block, start } of this.#kept.values())
      if (block === blockHash && start.index <= index && start.index >= (best?.index ?? 0)) best = start;
    return best;
  }

  /** Keeps the state of a world before a transaction. @param base state that the world was created on */
  keep(blockHash: Hex, world: WorldState, base: StateReader, start: Omit<ReplayStart, 'state'>): void {
    const name = `${blockHash} ${start.index}`;
    if (this.#kept.has(name)) return;
    const state = new ChangedState(base, world.changes());
    const changes = state.size + changesOfStart;
    this.#kept.set(name, { block: blockHash, start: { ...start, state }, changes });
    this.#changes += changes;
    for (const [oldest, entry] of this.#kept) {
      if (this.#changes <= changesMax || oldest === name) break;
      this.#kept.delete(oldest);
      this.#changes -= entry.changes;
    }
  }
}

/** A state with changes on top. Changes of a changed state are copied, so that reads do not pass through a chain of states. */
class ChangedState implements StateReader {
  readonly isolatesCode: boolean;
  readonly #base: StateReader;
  readonly #accounts: Map<string, AccountState | undefined>;
  readonly #codes: Map<string, Uint8Array>;
  readonly #slots: Map<string, ReadonlyMap<string, Uint8Array>>;
  /** Accounts whose storage has no slots but the changed ones. */
  readonly #cleared: Set<string>;

  constructor(state: StateReader, changes: readonly AccountChange[]) {
    const isChanged = state instanceof ChangedState;
    this.#base = isChanged ? state.#base : state;
    this.isolatesCode = state.isolatesCode === true;
    this.#accounts = new Map(isChanged ? state.#accounts : []);
    this.#codes = new Map(isChanged ? state.#codes : []);
    this.#slots = new Map(isChanged ? state.#slots : []);
    this.#cleared = new Set(isChanged ? state.#cleared : []);
    for (const change of changes) this.#apply(change);
  }

  /** Number of changed accounts and slots. */
  get size(): number {
    let size = this.#accounts.size;
    for (const slots of this.#slots.values()) size += slots.size;
    return size;
  }

  #apply({ address, account, code, isStorageCleared, slots }: AccountChange): void {
    const key = mapKeyFromBytes(address);
    this.#accounts.set(key, account);
    if (account !== undefined && code !== undefined) this.#codes.set(mapKeyFromBytes(account.codeHash), code);
    if (isStorageCleared) {
      this.#cleared.add(key);
      this.#slots.delete(key);
    }
    if (slots.length === 0) return;
    const own = new Map(this.#slots.get(key));
    for (const [slot, value] of slots) own.set(mapKeyFromBytes(slot), value);
    this.#slots.set(key, own);
  }

  getAccount(address: Uint8Array): AccountState | undefined {
    const key = mapKeyFromBytes(address);
    const known = this.#accounts.get(key);
    if (known !== undefined || this.#accounts.has(key)) return known;
    return StateCache.of(this.#base).getAccount(key, address);
  }

  getCode(codeHash: Uint8Array): Uint8Array {
    const key = mapKeyFromBytes(codeHash);
    return this.#codes.get(key) ?? StateCache.of(this.#base).getCode(key, codeHash);
  }

  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    const addressKey = mapKeyFromBytes(address);
    const key = mapKeyFromBytes(slot);
    const known = this.#slots.get(addressKey)?.get(key);
    if (known !== undefined) return known;
    if (this.#cleared.has(addressKey)) return noBytes;
    return StateCache.of(this.#base).getStorage(addressKey, address, slot);
  }
}

const noBytes = new Uint8Array(0);

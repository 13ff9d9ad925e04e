import type { Log } from '@cairn/block-model';

/** RIPEMD160: its touch survives a revert, since a client fault became part of the chain (EIP-161, block 2,675,119). */
const ripemd = 3n;

/**
 * Data of a message in addition to the state: warm addresses (EIP-2929), transient storage (EIP-1153), the refund counter,
 * logs, and accounts to check at the end of the transaction. A revert of a frame undoes its changes.
 */
export class Substate {
  readonly #warmAddresses = new Set<bigint>();
  #transient: Map<bigint, Map<bigint, bigint>> | undefined;
  readonly #undo: (() => void)[] = [];
  /** Addresses that are warm in every message of the fork. */
  readonly #alwaysWarm: ReadonlySet<bigint>;
  readonly touched = new Set<bigint>();
  readonly destroyed = new Set<bigint>();
  /** Contracts that this message has created (EIP-6780). */
  readonly created = new Set<bigint>();
  readonly logs: Log[] = [];
  /** Number of logs, including reverted ones. */
  logsMade = 0;
  /** Index of each of {@link logs} among all logs, including reverted ones. */
  readonly logNumbers: number[] = [];
  refund = 0;

  constructor(alwaysWarm: ReadonlySet<bigint>) {
    this.#alwaysWarm = alwaysWarm;
  }

  /** State for {@link revert}. */
  snapshot(): { readonly undo: number; readonly logs: number; readonly refund: number } {
    return { undo: this.#undo.length, logs: this.logs.length, refund: this.refund };
  }

  revert({ undo, logs, refund }: ReturnType<Substate['snapshot']>): void {
    while (this.#undo.length > undo) this.#undo.pop()?.();
    this.logs.length = logs;
    this.logNumbers.length = logs;
    this.refund = refund;
  }

  log(log: Log): void {
    this.logs.push(log);
    this.logNumbers.push(this.logsMade++);
  }

  isWarm(address: bigint): boolean {
    return this.#alwaysWarm.has(address) || this.#warmAddresses.has(address);
  }

  /** Marks an address as warm and reports whether it was cold. */
  accessWasCold(address: bigint): boolean {
    if (this.isWarm(address)) return false;
    this.#add(this.#warmAddresses, address);
    return true;
  }

  touch(address: bigint): void {
    if (this.touched.has(address)) return;
    this.touched.add(address);
    if (address !== ripemd) this.#undo.push(() => this.touched.delete(address));
  }

  /** Marks a contract as destroyed. Reports whether it was not marked before. */
  destroy(address: bigint): boolean {
    return this.#add(this.destroyed, address);
  }

  create(address: bigint): void {
    this.#add(this.created, address);
  }

  transient(address: bigint, slot: bigint): bigint {
    return this.#transient?.get(address)?.get(slot) ?? 0n;
  }

  setTransient(address: bigint, slot: bigint, value: bigint): void {
    this.#transient ??= new Map();
    let values = this.#transient.get(address);
    if (values === undefined) {
      values = new Map();
      this.#transient.set(address, values);
    }
    const of = values;
    const previous = of.get(slot) ?? 0n;
    of.set(slot, value);
    this.#undo.push(() => of.set(slot, previous));
  }

  #add(set: Set<bigint>, item: bigint): boolean {
    if (set.has(item)) return false;
    set.add(item);
    this.#undo.push(() => set.delete(item));
    return true;
  }
}

import { HoldLostError } from '@cairn/blockstore';
import { isCairnError } from '@cairn/errors';
import type { Postgres } from '@cairn/postgres';
import { changePins, type OperationRow, type PinOperation } from './pin-operations.ts';

const accountBatchLimits = {
  /** Operations and pins of one statement. One operation may have more pins. */
  operationsMax: 256,
  pinsMax: 4096,
  /** Statements that run concurrently. Other statements of the process use the rest of its connections. */
  statements: 8,
} as const;

interface Waiting {
  readonly operation: PinOperation;
  readonly keys: readonly string[];
  readonly resolve: (row: OperationRow) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: operations of an account that arrive during a statement of the account are applied by its next one. A statement
 * locks the row of the account, so that a second one of the same process would only wait for a connection.
 */
export class AccountBatches {
  readonly #database: Postgres;
  readonly #waiting = new Map<string, Waiting[]>();
  /** Accounts with waiting operations and no running statement, in the order of their arrival. */
  readonly #ready: string[] = [];
  readonly #active = new Set<string>();

  constructor(database: Postgres) {
    this.#database = database;
  }

  run(account: string, operation: PinOperation): Promise<OperationRow> {
    return new Promise((resolve, reject) => {
      const keys = operation.pins.map(({ cid }) => Buffer.from(cid.bytes).toString('latin1'));
      const waiting = this.#waiting.get(account);
      if (waiting) waiting.push({ operation, keys, resolve, reject });
      else {
        this.#waiting.set(account, [{ operation, keys, resolve, reject }]);
        if (!this.#active.has(account)) this.#ready.push(account);
      }
      this.#start();
    });
  }

  #start(): void {
    while (this.#active.size < accountBatchLimits.statements) {
      const account = this.#ready.shift();
      if (account === undefined) return;
      this.#active.add(account);
      void this.#apply(account, this.#take(account)).finally(() => {
        this.#active.delete(account);
        if (this.#waiting.has(account)) this.#ready.push(account);
        this.#start();
      });
    }
  }

  /**
   * Takes the oldest operation, and others that may share its statement: with other CIDs, with the same fence, and either all or
   * none of them for a known root. Waiting operations are concurrent calls, so that any order of them is correct.
   */
  #take(account: string): readonly Waiting[] {
    const taken: Waiting[] = [];
    const left: Waiting[] = [];
    const keys = new Set<string>();
    const waiting = this.#waiting.get(account) ?? [];
    const isForKnown = waiting[0]?.operation.kind === 'putKnownRoot';
    const fence = waiting[0]?.operation.fence;
    for (const each of waiting) {
      const isFull =
        taken.length >= accountBatchLimits.operationsMax ||
        (taken.length > 0 && keys.size + each.keys.length > accountBatchLimits.pinsMax);
      const isOther = (each.operation.kind === 'putKnownRoot') !== isForKnown || each.operation.fence !== fence;
      if (isFull || isOther || each.keys.some((key) => keys.has(key))) left.push(each);
      else {
        taken.push(each);
        for (const key of each.keys) keys.add(key);
      }
    }
    if (left.length === 0) this.#waiting.delete(account);
    else this.#waiting.set(account, left);
    return taken;
  }

  async #apply(account: string, batch: readonly Waiting[]): Promise<void> {
    try {
      const operations = batch.map(({ operation }) => operation);
      const { rows } = await this.#database.write<OperationRow>(changePins(account, operations));
      for (const [index, { operation, resolve, reject }] of batch.entries()) {
        const row = rows[index];
        if (row) resolve(row);
        else if (rows.length === 0 && operation.fence !== undefined) reject(new HoldLostError());
        else reject(new Error(`The database returned ${rows.length} results for ${batch.length} operations.`));
      }
    } catch (error) {
      // A value that the database refuses fails its own operation only.
      if (isCairnError(error, 'POSTGRES_REFUSED') && batch.length > 1)
        for (const each of batch) await this.#apply(account, [each]);
      else for (const { reject } of batch) reject(error);
    }
  }
}

import type { CID } from '@cairn/cid';
import type { Parameter, Statement } from '@cairn/postgres';
import type { Pin, PinMode, Quota } from '../pin-store.ts';
import type { DagSize } from '../walk-dag.ts';
import { operationKinds } from './pin-tables.ts';

/** Pin of an operation. A removal has only a CID, and a known root no size. */
export interface ChangedPin extends Partial<Omit<Pin, 'cid'>> {
  readonly cid: CID;
}

/** One change of pins of an account, applied whole or not at all. */
export interface PinOperation {
  readonly kind: keyof typeof operationKinds;
  /** Pins with distinct CIDs. */
  readonly pins: readonly ChangedPin[];
  readonly quota: Quota;
  /** Hold that has to be in force when the operation commits. */
  readonly fence?: string | undefined;
}

/** Row that the statement returns for each operation, in order. */
export interface OperationRow {
  readonly outcome: number;
  readonly used: number | null;
  readonly growth: number | null;
  readonly place: number | null;
  readonly known_blocks: number | null;
  readonly known_bytes: number | null;
}

export const modeNumber = (mode: PinMode): number => (mode === 'recursive' ? 1 : 2);
export const modeOf = (number: number): PinMode => (number === 1 ? 'recursive' : 'direct');

/** Encodes a text as JSON: PostgreSQL stores no zero byte and no lone surrogate. */
function textOf(value: string | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

const parameters = '$2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14';

/**
 * Applies the operations while the hold is in force. The lock of its row (see `PackHolds` of `@cairn/pack-store`) lasts until the
 * commit, and a collection deletes the row before it ends the hold. So a collection either finds the pin among its roots, or the
 * row is deleted and nothing changes. The function takes the account from the locked row, so that it is not called before.
 */
const changeUnderHold = `
  WITH held AS MATERIALIZED (SELECT $1::text AS account FROM pack_holders WHERE holder = $15 FOR KEY SHARE)
  SELECT changed.* FROM held, LATERAL cairn_change_pins_v1(held.account, ${parameters}) changed`;

/**
 * Returns the statement that applies operations on pins of an account, which have one fence. All pins of a statement have
 * distinct CIDs. It returns no row if the hold of the fence has ended.
 */
export function changePins(account: string, operations: readonly PinOperation[]): Statement {
  const pins = operations.flatMap((operation, index) => operation.pins.map((pin) => ({ pin, number: index + 1 })));
  const column = (value: (pin: ChangedPin) => Parameter) => pins.map(({ pin }) => value(pin));
  const sizes = (part: keyof DagSize) => column(({ size }) => size?.[part] ?? null);
  const fence = operations[0]?.fence;
  return {
    ...(fence === undefined
      ? { name: 'change-pins', text: `SELECT * FROM cairn_change_pins_v1($1, ${parameters})` }
      : { name: 'change-pins-under-hold', text: changeUnderHold }),
    values: [
      account,
      Date.now(),
      operations.map(({ kind }) => operationKinds[kind]),
      operations.map(({ quota }) => quota.bytesMax ?? null),
      operations.map(({ quota }) => quota.otherBytes ?? 0),
      pins.map(({ number }) => number),
      column(({ cid }) => cid.bytes),
      column(({ mode }) => (mode === undefined ? null : modeNumber(mode))),
      column(({ name }) => textOf(name)),
      column(({ addedAs }) => textOf(addedAs)),
      column(({ isRequested }) => isRequested === true),
      column(({ createdAt }) => (createdAt === undefined ? null : Math.trunc(createdAt))),
      sizes('blocks'),
      sizes('bytes'),
      ...(fence === undefined ? [] : [fence]),
    ],
  };
}

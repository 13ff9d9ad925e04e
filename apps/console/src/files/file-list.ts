import { CID } from '@cairn/cid';
import type { Pin, PinMode, PinStore } from '@cairn/pinning';
import { selectInSlices, sortInSlices } from './sort-in-slices.ts';

/** Limits of the lists in memory. */
const listLimits = {
  /** Rows of all accounts, about 250 bytes each. A longer list is read for each request. */
  rowsMax: 300_000,
  /** Age in milliseconds until a list is read again. Names that another process changed appear then. */
  ageMaxMs: 20_000,
  /** Lists up to this number of rows are read for each request, which takes some milliseconds. */
  shortMax: 1_000,
} as const;

export const fileOrders = ['createdAt', 'name', 'bytes'] as const;
export type FileOrder = (typeof fileOrders)[number];

/** Part of the files of an account. */
export interface FileSelection {
  /** Part of a name or CID. Empty: all files. */
  readonly search: string;
  readonly sort: FileOrder;
  readonly isDescending: boolean;
  readonly offset: number;
  readonly limit: number;
}

/** Row of a list. CIDs are texts of bytes, since objects take ten times the memory. */
interface Row {
  readonly cid: string;
  readonly mode: PinMode;
  readonly name: string;
  /** Name in lower case, for search and order. */
  readonly folded: string;
  readonly createdAt: number;
  readonly bytes: number;
  readonly blocks: number;
}

export interface ListedFile extends Omit<Row, 'cid' | 'folded'> {
  readonly cid: CID;
}

interface List {
  readonly rows: readonly Row[];
  readonly readAt: number;
  /** Number and bytes of the pins when the list was read. They change with most changes of the list. */
  readonly state: string;
  readonly sorted: Map<FileOrder, Promise<readonly Row[]>>;
}

const comparisons: Readonly<Record<FileOrder, (one: Row, other: Row) => number>> = {
  createdAt: (one, other) => one.createdAt - other.createdAt || byText(one.cid, other.cid),
  name: (one, other) => byText(one.folded, other.folded) || byText(one.cid, other.cid),
  bytes: (one, other) => one.bytes - other.bytes || byText(one.cid, other.cid),
};

/** Pages of the pins of an account in several orders. Long lists are kept in memory for some seconds. */
export class FileLists {
  readonly #pins: Pick<PinStore, 'list' | 'usage'>;
  readonly #now: () => number;
  /** Ordered by last use. */
  readonly #kept = new Map<string, List>();
  readonly #reading = new Map<string, Promise<List>>();

  constructor(pins: Pick<PinStore, 'list' | 'usage'>, now: () => number = () => performance.now()) {
    this.#pins = pins;
    this.#now = now;
  }

  /** Selects files of an account. `count` is the number of files that match the search. */
  async page(
    accountId: string,
    { search, sort, isDescending, offset, limit }: FileSelection,
  ): Promise<{ readonly files: readonly ListedFile[]; readonly count: number }> {
    const list = await this.#list(accountId);
    const sorted = await sortedBy(list, sort);
    const wanted = search === '' ? sorted : await selectInSlices(sorted, matcher(search));
    const from = isDescending ? Math.max(0, wanted.length - offset - limit) : offset;
    const to = isDescending ? Math.max(0, wanted.length - offset) : offset + limit;
    const files = wanted.slice(from, to).map(({ cid, folded, ...row }) => ({ ...row, cid: cidOf(cid) }));
    return { files: isDescending ? files.reverse() : files, count: wanted.length };
  }

  /** Reads the list again for the next page, after a change made by this process. */
  forget(accountId: string): void {
    this.#kept.delete(accountId);
    this.#reading.delete(accountId);
  }

  async #list(accountId: string): Promise<List> {
    const { pins, bytes } = await this.#pins.usage(accountId);
    const state = `${pins} ${bytes}`;
    const kept = this.#kept.get(accountId);
    if (kept?.state === state && this.#now() - kept.readAt < listLimits.ageMaxMs) {
      this.#kept.delete(accountId);
      this.#kept.set(accountId, kept);
      return kept;
    }
    const reading = this.#reading.get(accountId) ?? this.#read(accountId, state);
    this.#reading.set(accountId, reading);
    try {
      const list = await reading;
      // A list that `forget` replaced during its read is used once.
      if (list.rows.length > listLimits.shortMax && this.#reading.get(accountId) === reading)
        this.#keep(accountId, list);
      return list;
    } finally {
      if (this.#reading.get(accountId) === reading) this.#reading.delete(accountId);
    }
  }

  async #read(accountId: string, state: string): Promise<List> {
    const readAt = this.#now();
    const rows: Row[] = [];
    for await (const pin of this.#pins.list(accountId)) rows.push(rowOf(pin));
    return { rows, readAt, state, sorted: new Map() };
  }

  #keep(accountId: string, list: List): void {
    this.#kept.delete(accountId);
    this.#kept.set(accountId, list);
    let rows = 0;
    for (const [id, { rows: own }] of [...this.#kept].reverse()) {
      rows += own.length;
      if (rows > listLimits.rowsMax) this.#kept.delete(id);
    }
  }
}

/** Name of a pin, else the name given at its add, else an empty text. */
export function nameOf({ name, addedAs }: Pick<Pin, 'name' | 'addedAs'>): string {
  return name || addedAs || '';
}

function sortedBy({ rows, sorted }: List, order: FileOrder): Promise<readonly Row[]> {
  const known = sorted.get(order) ?? sortInSlices(rows, comparisons[order]);
  sorted.set(order, known);
  return known;
}

function rowOf(pin: Pin): Row {
  const { cid, mode, createdAt, size } = pin;
  const name = nameOf(pin);
  const text = Buffer.from(cid.bytes).toString('latin1');
  return { cid: text, mode, name, folded: name.toLowerCase(), createdAt, ...size };
}

function cidOf(text: string): CID {
  return CID.decode(Buffer.from(text, 'latin1'));
}

/** The texts of CIDs are compared only for a search that can be a part of one, since to write them takes time. */
function matcher(search: string): (row: Row) => boolean {
  const folded = search.trim().toLowerCase();
  const canBeCid = /^[a-z0-9]{4,}$/.test(folded);
  return ({ folded: name, cid }) =>
    name.includes(folded) || (canBeCid && cidOf(cid).toString().toLowerCase().includes(folded));
}

function byText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

import type { Hex } from '@cairn/block-model';
import type { ParityOptions, RecordFilter } from './parity-options.ts';
import type { ParityRecord } from './parity-record.ts';
import type { TraceBudget } from './trace-budget.ts';

/** Collects the records of a block that its options select, as JSON text. */
export class RecordList {
  readonly #filter: RecordFilter | undefined;
  readonly #path: string | undefined;
  readonly #budget: TraceBudget;
  readonly #from: ReadonlySet<Hex>;
  readonly #to: ReadonlySet<Hex>;
  readonly #texts: string[] = [];
  /** Number of records that match, including those that are left out. */
  matched = 0;

  constructor({ filter, path }: Pick<ParityOptions, 'filter' | 'path'>, budget: TraceBudget) {
    this.#filter = filter;
    this.#path = path?.join();
    this.#budget = budget;
    this.#from = new Set(filter?.from);
    this.#to = new Set(filter?.to);
  }

  /** @throws TRACE_TOO_LARGE */
  add(record: ParityRecord): void {
    if (this.#path !== undefined && record.traceAddress.join() !== this.#path) return;
    if (!this.#matches(record)) return;
    const position = this.matched++;
    const { skip = 0, take = Number.POSITIVE_INFINITY } = this.#filter ?? {};
    if (position < skip || position >= skip + take) return;
    const text = record.toJson();
    this.#budget.take(text.length);
    this.#texts.push(text);
  }

  #matches({ from, to }: ParityRecord): boolean {
    const isFrom = from !== undefined && this.#from.has(from);
    const isTo = to !== undefined && this.#to.has(to);
    if (this.#from.size > 0 && this.#to.size > 0)
      return this.#filter?.mode === 'union' ? isFrom || isTo : isFrom && isTo;
    if (this.#from.size > 0) return isFrom;
    return this.#to.size === 0 || isTo;
  }

  /** JSON text of the list, or of the only record if the options name its path. */
  toJson(): string {
    return this.#path === undefined ? `[${this.#texts.join(',')}]` : (this.#texts[0] ?? 'null');
  }
}

import { countText } from '../print.ts';
import type { Migrated } from './migrate.ts';

type Counts = Readonly<Record<Migrated['state'], number>>;

/** Fewest copied pins from which a duration is estimated. */
const estimateFrom = 3;

/** Rate of a migration. Pins that an earlier run has copied do not count for it. */
export class MigrationProgress {
  readonly #now: () => number;
  readonly #startedAt: number;
  #total: number | undefined;
  #copied = 0;

  /** @param now time in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#startedAt = now();
  }

  /** Sets the number of all wanted pins, once it is known. */
  set total(count: number) {
    this.#total = count;
  }

  /** Counts one pin that this run has copied or given up. */
  copied(): void {
    this.#copied++;
  }

  /** `12 of 400 pins; 12 verified, …; about 3 min left` */
  line(counts: Counts): string {
    const done = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const of = this.#total === undefined ? '' : ` of ${countText(this.#total)}`;
    const left = this.#left(done);
    return `${countText(done)}${of} pins: ${summary(counts)}${left === undefined ? '' : `; about ${left} left`}`;
  }

  #left(done: number): string | undefined {
    if (this.#total === undefined || this.#copied < estimateFrom) return undefined;
    const msPerPin = (this.#now() - this.#startedAt) / this.#copied;
    return durationText(Math.max(0, this.#total - done) * msPerPin);
  }
}

/** Counts of all states, for people. */
export function summary({ verified, missing, different, refused }: Counts): string {
  return `${countText(verified)} verified, ${countText(missing)} missing, ${countText(different)} different, ${countText(refused)} refused`;
}

function durationText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

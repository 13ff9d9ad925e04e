import { TraceTooLargeError } from '../../errors.ts';
import { traceCharactersMax } from '../trace-limits.ts';

/** Bounds the text of the traces of one job, and the bytes that are kept to build it. */
export class TraceBudget {
  #left = traceCharactersMax;

  /** Takes characters. @throws TRACE_TOO_LARGE */
  take(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) throw new TraceTooLargeError(traceCharactersMax, 'characters');
  }
}

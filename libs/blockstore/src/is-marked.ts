import { codecs } from '@cairn/cid';

/** The last mark of a block. */
export interface Mark {
  /** Cycle. */
  readonly mark: number;
  /** Codec. */
  readonly markedAs: number;
}

/** Reports whether the cycle has marked a block as this codec. Every mark includes raw, since raw blocks have no links. */
export function isMarked({ mark, markedAs }: Mark, code: number, cycle: number): boolean {
  return mark === cycle && (markedAs === code || code === codecs.raw);
}

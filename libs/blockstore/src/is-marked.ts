import { codecs } from '@cairn/cid';

/** What a store remembers of the last mark of a block: the cycle and the codec. */
export interface Mark {
  readonly mark: number;
  readonly markedAs: number;
}

/** Whether the cycle has marked a block as this codec. Raw is in every mark, since raw blocks have no links. */
export function isMarked({ mark, markedAs }: Mark, code: number, cycle: number): boolean {
  return mark === cycle && (markedAs === code || code === codecs.raw);
}

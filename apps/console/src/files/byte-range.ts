import { CairnError } from '@cairn/errors';
import parseRange from 'range-parser';

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
  /** Value of the header Content-Range (RFC 9110, 14.4). */
  readonly contentRange: string;
}

/** Range of one part. Other units and several parts are ignored (RFC 9110, 14.2). @throws RANGE_INVALID */
export function byteRange(header: string, size: number): ByteRange | undefined {
  const ranges = parseRange(size, header, { combine: true });
  if (ranges === -1)
    throw new CairnError(
      'RANGE_INVALID',
      `The file has ${size} bytes; the range ${header.slice(0, 100)} begins later.`,
      {
        hint: 'Read a range within the file.',
        details: { size },
      },
    );
  if (ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return undefined;
  const [{ start, end } = { start: 0, end: 0 }] = ranges;
  return { offset: start, length: end - start + 1, contentRange: `bytes ${start}-${end}/${size}` };
}

import { GatewayError } from './errors.ts';

/** Part of a representation: `start` to `end` inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Checks the form of a Range field. @throws GatewayError 400 */
export function checkRange(range: string | undefined): void {
  if (range !== undefined && !isEmptyRange(range)) parseSpecs(range);
}

/**
 * Returns the range of a Range field (RFC 9110, 14.2), or undefined without one. Of several ranges the first that overlaps
 * is served, as in Kubo. @throws GatewayError 400, 416
 */
export function rangeOf(range: string | undefined, size: number): ByteRange | undefined {
  // Clients add a Range to each request: without bytes there is no part to choose.
  if (range === undefined || size === 0 || isEmptyRange(range)) return undefined;
  for (const [first, last] of parseSpecs(range)) {
    const start = first === undefined ? Math.max(size - (last ?? 0), 0) : first;
    const end = first === undefined ? size - 1 : Math.min(last ?? size - 1, size - 1);
    if (start <= end && start < size) return { start, end };
  }
  throw new GatewayError(416, 'invalid range: failed to overlap', { 'content-range': `bytes */${size}` });
}

function isEmptyRange(range: string): boolean {
  return /^bytes=\s*$/i.test(range);
}

type RangeSpec = readonly [first: number | undefined, last: number | undefined];

function parseSpecs(range: string): RangeSpec[] {
  const [, list] = /^bytes=(.*)$/i.exec(range) ?? [];
  const specs = (list ?? '').split(',', 64).filter((spec) => spec.trim() !== '');
  const parsed = specs.map((spec): RangeSpec => {
    const [, first, last] = /^\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/.exec(spec) ?? [];
    const from = first ? Number(first) : undefined;
    const to = last ? Number(last) : undefined;
    const isReversed = from !== undefined && to !== undefined && from > to;
    if ((from === undefined && to === undefined) || isReversed)
      throw new GatewayError(400, 'invalid range request: invalid range');
    return [from, to];
  });
  if (parsed.length === 0) throw new GatewayError(400, 'invalid range request: invalid range');
  return parsed;
}

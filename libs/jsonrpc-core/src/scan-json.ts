import { RpcError } from './rpc-error.ts';

export interface ShapeLimits {
  readonly depthMax: number;
  readonly valuesMax: number;
}

/**
 * Checks depth and number of values of a body before it is parsed: `JSON.parse` recurses, and takes up to 2 µs for each value.
 * @throws RpcError `limit` if brackets nest deeper than `depthMax`, or commas and brackets imply more than `valuesMax` values
 */
export function checkShape(text: string, { depthMax, valuesMax }: ShapeLimits): void {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      at = endOfString(text, at);
      continue;
    }
    const isOpening = code === 0x5b || code === 0x7b;
    if (isOpening) depth++;
    else if (code === 0x5d || code === 0x7d) depth--;
    else if (code !== 0x2c) continue;
    if (isOpening || code === 0x2c) values++;
    if (depth > depthMax)
      throw new RpcError('limit', `The request nests deeper than ${depthMax} levels.`, { limit: 'depth', depthMax });
    if (values > valuesMax) {
      throw new RpcError('limit', `The request has more than ${valuesMax} values. Send several requests.`, {
        limit: 'values',
        valuesMax,
      });
    }
  }
}

/** Index of the closing quotation mark of the string that starts at `start`, or the length of a body without one. */
export function endOfString(text: string, start: number): number {
  const end = text.indexOf('"', start + 1);
  if (end === -1) return text.length;
  if (text.charCodeAt(end - 1) !== 0x5c) return end;
  // A string with escaped quotation marks is read character by character: a search for each of them takes longer.
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at;
    if (code === 0x5c) at++;
  }
  return text.length;
}

import { endOfString } from './scan-json.ts';

/**
 * Extracts numeric ids of a body as they are written, by index of the request. `JSON.parse` rounds numbers that a double cannot
 * represent, and a client with 64-bit ids could not match the answer.
 * @param text valid JSON: one request or a list of them
 */
export function numberIds(text: string): readonly (string | undefined)[] {
  const requestDepth = text.trimStart().startsWith('[') ? 2 : 1;
  const ids: (string | undefined)[] = [];
  let depth = 0;
  let index = 0;
  let key: string | undefined;
  const structural = /["{}[\],:]/g;
  while (structural.test(text)) {
    const at = structural.lastIndex - 1;
    const character = text[at];
    if (character === '"') {
      const end = endOfString(text, at) + 1;
      if (depth === requestDepth && key === undefined) key = text.slice(at, end);
      structural.lastIndex = end;
    } else if (character === '{' || character === '[') {
      depth++;
      if (depth === requestDepth) key = undefined;
    } else if (character === '}' || character === ']') depth--;
    else if (character === ',' && depth === requestDepth) key = undefined;
    else if (character === ',' && depth < requestDepth) index++;
    else if (character === ':' && depth === requestDepth && isId(key)) ids[index] = numberAt(text, at + 1);
  }
  return ids;
}

/** Length of the longest spelling of the key, with all characters escaped. */
const idKeyCharactersMax = '"\\u0069\\u0064"'.length;

function isId(key: string | undefined): boolean {
  return key !== undefined && key.length <= idKeyCharactersMax && JSON.parse(key) === 'id';
}

function numberAt(text: string, start: number): string | undefined {
  const pattern = /\s*(-?\d[\d.eE+-]*)/y;
  pattern.lastIndex = start;
  return pattern.exec(text)?.[1];
}

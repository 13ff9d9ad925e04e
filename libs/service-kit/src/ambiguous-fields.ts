import type { IncomingMessage } from 'node:http';

/** Header fields that identify host or caller. Of several, Node keeps the first and a proxy may read another. */
const singular = new Set(['host', 'authorization']);

/**
 * Reports whether a field that decides where a request goes is repeated (RFC 9112, section 3.2: such a request gets
 * 400).
 */
export function isAmbiguous({ rawHeaders }: IncomingMessage): boolean {
  let seen = '';
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    // Lengths first: most names are then never lower-cased.
    if (name.length !== 4 && name.length !== 13) continue;
    const key = name.toLowerCase();
    if (!singular.has(key)) continue;
    if (seen.includes(key)) return true;
    seen += `${key} `;
  }
  return false;
}

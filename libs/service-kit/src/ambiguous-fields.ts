import type { IncomingMessage } from 'node:http';

/** Fields that say for whom a request is and from whom: Node keeps the first of several, a proxy may read another. */
const singular = new Set(['host', 'authorization']);

/** Whether a field that decides where a request goes is there twice (RFC 9112, section 3.2: such a request gets 400). */
export function isAmbiguous({ rawHeaders }: IncomingMessage): boolean {
  let seen = '';
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    // Lengths first: most names need no lower case.
    if (name.length !== 4 && name.length !== 13) continue;
    const key = name.toLowerCase();
    if (!singular.has(key)) continue;
    if (seen.includes(key)) return true;
    seen += `${key} `;
  }
  return false;
}

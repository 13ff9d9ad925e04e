import { CID } from '@cairn/cid';

const startBytes = 8;

/**
 * Collects the CIDs of a decoded block in the order of its bytes, without recursion: nesting is bounded by the length of
 * the block, not by the stack.
 * @param textOf how a CID stands in the block
 */
export function linksInOrder(root: unknown, block: Uint8Array, textOf: (link: CID) => Uint8Array): CID[] {
  const links: CID[] = [];
  const open: unknown[] = [root];
  let isMoved = false;
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) continue;
    const link = CID.asCID(value);
    if (link) {
      links.push(link);
      continue;
    }
    // Objects of JavaScript have keys such as "7" before all others, wherever they stand in the block.
    isMoved ||= !Array.isArray(value) && startsWithDigit(value);
    // One by one: a node may have more values than a call takes arguments.
    const values: readonly unknown[] = Object.values(value);
    for (let at = values.length - 1; at >= 0; at--) open.push(values[at]);
  }
  return isMoved && links.length > 1 ? sortByPlace(links, block, textOf) : links;
}

function startsWithDigit(value: object): boolean {
  for (const key in value) return key.charCodeAt(0) >= 0x30 && key.charCodeAt(0) <= 0x39;
  return false;
}

/** One pass over the block, however many links it has. */
function sortByPlace(links: readonly CID[], block: Uint8Array, textOf: (link: CID) => Uint8Array): CID[] {
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength);
  // A CID that stands in the block in another base keeps its place among such.
  const placed = links.map((link) => ({ link, at: bytes.length }));
  const waiting = new Map<string, (typeof placed)[number][]>();
  for (const entry of placed) {
    const text = Buffer.from(textOf(entry.link)).toString('latin1');
    const others = waiting.get(text);
    if (others) others.push(entry);
    else waiting.set(text, [entry]);
  }
  for (const entries of waiting.values()) entries.reverse();
  // The first bytes tell version, codec, hash function and length of a CID, so a start has one length, or few.
  let width = startBytes;
  for (const text of waiting.keys()) width = Math.min(width, text.length);
  const lengths = new Map<string, Set<number>>();
  const isFirst = new Uint8Array(256);
  for (const text of waiting.keys()) {
    const start = text.slice(0, width);
    lengths.set(start, (lengths.get(start) ?? new Set()).add(text.length));
    isFirst[text.charCodeAt(0)] = 1;
  }
  for (let at = 0; at + width <= bytes.length; at++) {
    if (isFirst[bytes[at] ?? 0] === 0) continue;
    for (const length of lengths.get(bytes.toString('latin1', at, at + width)) ?? []) {
      const entry = waiting.get(bytes.toString('latin1', at, at + length))?.pop();
      if (entry) entry.at = at;
    }
  }
  return placed.sort((one, other) => one.at - other.at).map(({ link }) => link);
}

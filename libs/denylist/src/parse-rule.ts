import { digestBytesMax, digestBytesMin, hashFunction } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { bytesFromHexDigits } from '@cairn/platform';
import { limits } from './limits.ts';
import { bytesOfBase58, cidOf, isHarmless, type Subject, subjectOfCid, subjectOfName, trimSlashes } from './subject.ts';

/** Machine-readable notes of a rule or of a list. */
export type Hints = Readonly<Record<string, string>>;

/** HTTP statuses of denied content. */
export type DeniedStatus = 410 | 451;

/** Digest of a text, by which a rule names content that its list does not reveal. */
export interface DoubleHash {
  /** Multicodec code of the hash function. */
  readonly code: number;
  readonly digest: Uint8Array;
}

/** Rule of a denylist. */
export type Rule = {
  readonly isAllowed: boolean;
  readonly status: DeniedStatus;
} & (
  | { readonly type: 'path'; readonly subject: Subject; readonly isPrefix: boolean }
  | { readonly type: 'double'; readonly hashes: readonly DoubleHash[] }
);

/** Values of the hint `reason` that stand for a legal demand. */
const legalReasons = new Set(['legal', 'court', 'dmca', 'copyright']);

/**
 * Parses a line. Returns undefined for an empty line, a comment, and a rule for an empty file or directory.
 * @returns a text that states the problem of a line that is no rule
 */
export function parseRule(line: string, listHints: Hints): Rule | string | undefined {
  if (line === '' || line.startsWith('#')) return undefined;
  const [first = '', ...rest] = line.split(/[ \t\r]+/).filter((field) => field !== '');
  if (first === '') return undefined;
  const isAllowed = /^[!+-]/.test(first);
  const item = isAllowed ? first.slice(1) : first;
  const status = statusOf({ ...listHints, ...parseHints(rest) });
  if (item.startsWith('//')) {
    const hashes = parseDoubleHash(item.slice(2));
    return typeof hashes === 'string' ? hashes : { type: 'double', isAllowed, status, hashes };
  }
  const [, namespace, root = '', below = ''] = /^\/(ipfs|ipld|ipns)\/([^/]+)(?:\/(.*))?$/s.exec(item) ?? [];
  if (namespace === undefined) return 'expected /ipfs/<cid>, /ipns/<name> or //<hash>';
  const path = parsePath(below);
  if (typeof path === 'string') return path;
  const subject = namespace === 'ipns' ? subjectOfName(decode(root) ?? root, path.text) : subjectOf(root, path.text);
  if (typeof subject === 'string') return subject;
  if (subject === undefined) return undefined;
  return { type: 'path', isAllowed, status, subject, isPrefix: path.isPrefix };
}

function subjectOf(root: string, path: string): Subject | string | undefined {
  const cid = cidOf(root);
  if (cid === undefined) return 'the CID is invalid';
  return isHarmless(cid) ? undefined : subjectOfCid(cid, path);
}

/** Reads `key:value` of the specification and `key=value` of nopfs. */
function parseHints(fields: readonly string[]): Hints {
  const hints: Record<string, string> = Object.create(null);
  for (const field of fields) {
    const [, key, value] = /^([^:=]+)[:=](.*)$/.exec(field) ?? [];
    if (key !== undefined && value !== undefined) hints[key] = value;
  }
  return hints;
}

/** Returns the status of denied content: that of the hint `gateway_status`, else 451 for a legal `reason`, else 410. */
function statusOf(hints: Hints): DeniedStatus {
  const { gateway_status: given, reason = '' } = hints;
  if (given !== undefined) return given === '451' ? 451 : 410;
  return legalReasons.has(reason.toLowerCase()) ? 451 : 410;
}

/** Parses a path. A star at the end, which is not percent-encoded, makes it the beginning of paths. */
function parsePath(raw: string): { readonly text: string; readonly isPrefix: boolean } | string {
  const isPrefix = raw.endsWith('*');
  const text = decode(isPrefix ? raw.slice(0, -1) : raw);
  if (text === undefined) return 'the percent-encoding of the path is invalid';
  if (text.length > limits.pathCharactersMax) return `the path is longer than ${limits.pathCharactersMax} characters`;
  return { text: trimSlashes(text), isPrefix };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Parses a multihash in base58 or a SHA-256 in hexadecimal. A text that is both gives two hashes, as specified. */
function parseDoubleHash(text: string): readonly DoubleHash[] | string {
  const hashes: DoubleHash[] = [];
  const multihash = multihashOf(text);
  if (multihash !== undefined) hashes.push(multihash);
  if (/^[0-9a-f]{64}$/i.test(text)) hashes.push({ code: 0x12, digest: bytesFromHexDigits(text.toLowerCase()) });
  return hashes.length > 0 ? hashes : 'the hash is neither a multihash in base58 nor a SHA-256 in hexadecimal';
}

function multihashOf(text: string): DoubleHash | undefined {
  const bytes = bytesOfBase58(text);
  if (bytes === undefined) return undefined;
  const [code, afterCode] = readNumber(bytes, 0);
  const [length, start] = readNumber(bytes, afterCode);
  const digest = bytes.subarray(start);
  const isWhole = digest.length === length && length >= digestBytesMin && length <= digestBytesMax;
  return isWhole && code !== 0 && isComputed(code, length) ? { code, digest } : undefined;
}

/** Reports whether the digest of a text can be computed. A truncated digest is compared over its length. */
function isComputed(code: number, length: number): boolean {
  try {
    return length <= hashFunction(code).digestBytes;
  } catch (error) {
    if (!isCairnError(error, 'HASH_UNSUPPORTED')) throw error;
    return false;
  }
}

/** Reads an unsigned LEB128 number of at most four bytes. */
function readNumber(bytes: Uint8Array, from: number): readonly [number, number] {
  let value = 0;
  for (let at = from; at < bytes.length && at < from + 4; at++) {
    const byte = bytes[at] ?? 0;
    value |= (byte & 0x7f) << (7 * (at - from));
    if (byte < 0x80) return [value, at + 1];
  }
  return [-1, from];
}

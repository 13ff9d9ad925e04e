import type { UnixfsTime } from '@cairn/unixfs';
import { ApiError } from './api-error.ts';

/** Mode and time that clients append to the field name of a part: `file?mode=0644&mtime=1700000000&mtime-nsecs=5`. */
export interface PartMetadata {
  /**
   * Go's `FileMode`: nine permission bits, and its own bits for types, setuid, setgid and sticky. 0 where there is
   * none.
   */
  readonly fileMode: number;
  readonly mtime?: UnixfsTime;
}

/** Go's `FileMode` of a symlink, which Kubo reports for every one. */
export const symlinkFileMode = 0o1000000777;

/** Go's bits of a `FileMode` beside the nine permission bits, and those of POSIX. */
const specialBits = [
  { go: 2 ** 20, posix: 0o1000 },
  { go: 2 ** 22, posix: 0o2000 },
  { go: 2 ** 23, posix: 0o4000 },
] as const;

/** Converts Go's `FileMode` to the mode of UnixFS: 0, which is not written, where it has no permission bits. */
export function modeOfFileMode(fileMode: number): number {
  const special = specialBits.filter(({ go }) => Math.floor(fileMode / go) % 2 === 1);
  return special.reduce((mode, { posix }) => mode + posix, fileMode & 0o777);
}

/**
 * Parses the part of a field name after the question mark, as Kubo does: an invalid value counts as absent, and the
 * time is 1970 where the name has a question mark but no time.
 * @throws ApiError 400 for a time that no number holds exactly
 */
export function parsePartMetadata(query: string): PartMetadata {
  if (/;|%(?![\da-f]{2})/i.test(query)) return { fileMode: 0 };
  const parameters = new URLSearchParams(query);
  const octal = parameters.get('mode') ?? '';
  const parsed = /^[0-7]{1,12}$/.test(octal) ? Number.parseInt(octal, 8) : 0;
  const fileMode = parsed < 2 ** 32 ? parsed : 0;
  const seconds = parseInt64(parameters.get('mtime') ?? '0');
  if (seconds === undefined) return { fileMode };
  return { fileMode, mtime: timeOf(seconds, parseNanoseconds(parameters.get('mtime-nsecs') ?? '0')) };
}

/** Normalizes a time as Go's `time.Unix` does, with any number of nanoseconds. @throws ApiError 400 */
function timeOf(seconds: bigint, nanoseconds: bigint): UnixfsTime {
  const perSecond = 1_000_000_000n;
  const rest = ((nanoseconds % perSecond) + perSecond) % perSecond;
  const whole = Number(seconds + (nanoseconds - rest) / perSecond);
  if (!Number.isSafeInteger(whole)) {
    throw new ApiError(400, `invalid mtime ${seconds} of a part: expected seconds from -2^53 to 2^53`);
  }
  return { seconds: whole, ...(rest > 0n && { nanoseconds: Number(rest) }) };
}

function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,40}$/.test(text)) return undefined;
  const value = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** Go's `ParseInt` returns the nearest number for one beyond 64 bits, and Kubo ignores its error. */
function parseNanoseconds(text: string): bigint {
  const value = parseInt64(text);
  if (value !== undefined) return value;
  if (!/^[+-]?\d+$/.test(text)) return 0n;
  return text.startsWith('-') ? -(2n ** 63n) : 2n ** 63n - 1n;
}

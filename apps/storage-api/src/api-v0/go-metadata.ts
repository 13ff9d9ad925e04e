import type { UnixfsMetadata, UnixfsTime } from '@cairn/unixfs';
import { ApiError } from './api-error.ts';

/** Bits of Go's `os.FileMode` for the type of a node. */
const kindBits = { file: 0, directory: 0x8000_0000, symlink: 0x0800_0000 } as const;

/** Mode of a symlink without one, as Kubo prints it. */
const symlinkMode = 0o777 | kindBits.symlink;

export interface NodeMode {
  readonly type: keyof typeof kindBits;
  readonly mode?: number | undefined;
}

/**
 * Converts the mode of a node to a number of Go's `os.FileMode`: setuid, setgid, sticky and type are upper bits. 0:
 * none.
 */
export function goFileMode({ type, mode = 0 }: NodeMode): number {
  const permissions = mode & 0xfff;
  if (permissions === 0) return 0;
  const bits = (permissions & 0x1ff) | ((permissions & 0xc00) << 12) | ((permissions & 0x200) << 11);
  return (bits | kindBits[type]) >>> 0;
}

/** Returns the low twelve bits of a POSIX mode from a number of Go's `os.FileMode`. */
export function modeFromGo(bits: number): number {
  return ((bits & 0xc0_0000) >> 12) | ((bits & 0x10_0000) >> 11) | (bits & 0x1ff);
}

/** Mode and time in the form of Kubo's `files/stat`; nothing where they are not set. */
export function printStat({ type, mode, mtime }: NodeMode & UnixfsMetadata) {
  const bits = goFileMode({ type, mode }) || (type === 'symlink' ? symlinkMode : 0);
  return {
    ...(mtime?.seconds && { Mtime: mtime.seconds }),
    ...(mtime?.nanoseconds && { MtimeNsecs: mtime.nanoseconds }),
    ...(bits && { Mode: bits.toString(8).padStart(4, '0') }),
  };
}

/** Time that Go prints where there is none. */
const noTime = '0001-01-01T00:00:00Z';
const yearsInJson = { first: -62_167_219_200, last: 253_402_300_799 };

/** Formats a time as Go's JSON: RFC 3339 with the digits of the second that it has. @throws ApiError 500 */
export function goTime(mtime: UnixfsTime | undefined): string {
  if (mtime === undefined) return noTime;
  const { seconds, nanoseconds = 0 } = mtime;
  if (seconds < yearsInJson.first || seconds > yearsInJson.last)
    throw new ApiError(
      500,
      `Time.MarshalJSON: year outside of range [0,9999]: an entry has the time ${seconds}; ask with size=false and resolve-type=false`,
    );
  const whole = new Date(seconds * 1000).toISOString().slice(0, -'.000Z'.length);
  const fraction = nanoseconds === 0 ? '' : `.${String(nanoseconds).padStart(9, '0').replace(/0+$/, '')}`;
  return `${whole}${fraction}Z`;
}

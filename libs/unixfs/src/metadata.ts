import { InvalidOptionError } from './errors.ts';
import type { UnixfsMetadata } from './unixfs-data.ts';

const nanosecondsMax = 999_999_999;

/** Requires a mode and a time that UnixFS can represent. @throws OPTION_INVALID */
export function assertMetadata({ mode, mtime }: UnixfsMetadata): void {
  if (mode !== undefined && (!Number.isInteger(mode) || mode < 0 || mode > 0o7777)) {
    throw new InvalidOptionError('mode', `expected an integer from 0 to 0o7777, not ${mode}`);
  }
  if (mtime === undefined) return;
  const { seconds, nanoseconds = 0 } = mtime;
  if (!Number.isSafeInteger(seconds)) {
    throw new InvalidOptionError('mtime', `expected whole seconds since 1970, not ${seconds}`);
  }
  if (!Number.isInteger(nanoseconds) || nanoseconds < 0 || nanoseconds > nanosecondsMax) {
    throw new InvalidOptionError('mtime-nsecs', `expected 0 to ${nanosecondsMax}, not ${nanoseconds}`);
  }
}

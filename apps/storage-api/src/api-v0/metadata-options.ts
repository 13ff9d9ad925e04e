import type { UnixfsMetadata } from '@cairn/unixfs';
import type { OptionValues } from './options.ts';
import { metadataOf } from './part-headers.ts';

/** Mode and time of what a command makes. */
export const metadataOptions = {
  mode: { kind: 'text' },
  mtime: { kind: 'text' },
  'mtime-nsecs': { kind: 'text' },
} as const;

/** @throws ApiError 400, naming the option */
export function metadataFrom(chosen: OptionValues<typeof metadataOptions>): UnixfsMetadata {
  const query = new URLSearchParams();
  for (const name of ['mode', 'mtime', 'mtime-nsecs'] as const) {
    const given = chosen[name];
    if (given !== undefined) query.set(name, given);
  }
  return metadataOf(query);
}

/** Mode and time as Kubo's answers have them; nothing for what is not set. */
export function printMetadata({ mode, mtime }: UnixfsMetadata) {
  return {
    ...(mode !== undefined && { Mode: `0${mode.toString(8)}` }),
    ...(mtime && { Mtime: mtime.seconds, ...(mtime.nanoseconds && { MtimeNsecs: mtime.nanoseconds }) }),
  };
}

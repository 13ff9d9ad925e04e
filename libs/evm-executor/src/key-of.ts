import { bytesFromLatin1 } from '@cairn/platform';

export { keyOf } from '#native';

/** The bytes that a key stands for. */
export function bytesOfKey(key: string): Uint8Array {
  return bytesFromLatin1(key);
}

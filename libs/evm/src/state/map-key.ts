import { bytesFromLatin1 } from '@cairn/platform';

export { mapKeyFromBytes } from '#native';

/** Bytes from which a map key was made. */
export function bytesFromMapKey(key: string): Uint8Array {
  return bytesFromLatin1(key);
}

import { ObjectStoreError } from './errors.ts';
import { objectStoreLimits } from './limits.ts';

/**
 * Keys that all servers store and that need no escaping: names of ASCII letters, digits, `_`, `.` and `-`, separated by slashes.
 * `.` and `..` are refused, since servers over a file system use the key as a path.
 */
const safeKey = /^(?!\.{1,2}(?:\/|$))[\w.-]+(?:\/(?!\.{1,2}(?:\/|$))[\w.-]+)*$/;

/** Reports whether a key is one that this package writes. */
export function isKey(key: string): boolean {
  return safeKey.test(key) && key.length <= objectStoreLimits.keyBytesMax;
}

/** @throws OBJECT_KEY_INVALID */
export function assertKey(key: string, prefix = ''): void {
  if (isKey(key) && prefix.length + key.length <= objectStoreLimits.keyBytesMax) return;
  throw new ObjectStoreError('OBJECT_KEY_INVALID', `The key ${JSON.stringify(key.slice(0, 80))} is invalid.`, {
    hint: `Use at most ${objectStoreLimits.keyBytesMax} letters, digits, "_", ".", "-" and slashes between names.`,
  });
}

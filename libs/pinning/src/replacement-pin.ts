import type { Pin } from './pin-store.ts';

/** Returns the pin that replaces `before`. In the same mode it keeps the date; without a new `addedAs` it keeps the old one. */
export function replacementPin(before: Pin | undefined, wanted: Omit<Pin, 'size'>): Omit<Pin, 'size'> {
  return {
    ...wanted,
    addedAs: wanted.addedAs ?? before?.addedAs,
    createdAt: before?.mode === wanted.mode ? before.createdAt : wanted.createdAt,
  };
}

import type { Pin } from './pin-store.ts';

/** The pin that takes the place of another: one that only gets another name keeps its date, and the name of its add. */
export function replacementPin(before: Pin | undefined, wanted: Omit<Pin, 'size'>): Omit<Pin, 'size'> {
  return {
    ...wanted,
    addedAs: wanted.addedAs ?? before?.addedAs,
    createdAt: before?.mode === wanted.mode ? before.createdAt : wanted.createdAt,
  };
}

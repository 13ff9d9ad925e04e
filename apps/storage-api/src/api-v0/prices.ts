import type { StorageScope } from '@cairn/auth';

/** Credits of a command by the scope that it needs, beside those of the transferred bytes. */
const pricesByScope: Readonly<Record<StorageScope, number>> = { read: 1, add: 5, pin: 2 };

/** Commands that walk through much more than they name. */
const pricesByName: Readonly<Record<string, number>> = {
  'pin/verify': 20,
  'repo/gc': 20,
  'repo/verify': 50,
  'refs/local': 20,
  'repo/ls': 20,
  // Paid by the request that the attempt belongs to.
  'pins/attempt': 0,
};

/** Returns the credits of a command. */
export function priceOf({ name, scope }: { readonly name: string; readonly scope: StorageScope }): number {
  return pricesByName[name] ?? pricesByScope[scope];
}

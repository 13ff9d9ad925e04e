import type { CID } from '@cairn/cid';
import type { ChangedRoot, PinMode, PinStore } from '../pin-store.ts';

/** Roots of one origin, such as the pins of an account. */
export interface ServedRoots {
  /** Name of the origin. Roots of an origin that is no longer listed end to be served. */
  readonly origin: string;
  /** Streams roots in the order of the bytes of their CIDs. */
  roots(mode: PinMode): AsyncIterable<CID>;
  /** Pins whose changes are listed. Absent: all roots are compared at each refresh. */
  readonly pins?: Pick<PinStore, 'rootChanges'>;
  /** Account whose changes concern the origin. Absent: those of all accounts. */
  readonly account?: string;
  /** Reports whether a root that has changed is one of the origin now. */
  isRoot?(changed: ChangedRoot): Promise<boolean>;
}

/** Roots that any account pins. */
export function rootsOfAllPins(pins: Pick<PinStore, 'roots' | 'isPinned' | 'rootChanges'>): ServedRoots {
  return {
    origin: 'pins',
    async *roots(mode) {
      for await (const { cid } of pins.roots(mode)) yield cid;
    },
    pins,
    isRoot: ({ mode, cid }) => pins.isPinned(mode, cid),
  };
}

/** Roots that one account pins. */
export function rootsOfAccount(pins: Pick<PinStore, 'list' | 'get' | 'rootChanges'>, account: string): ServedRoots {
  return {
    origin: `account ${account}`,
    async *roots(mode) {
      for await (const pin of pins.list(account)) if (pin.mode === mode) yield pin.cid;
    },
    pins,
    account,
    isRoot: async ({ mode, cid }) => (await pins.get(account, cid))?.mode === mode,
  };
}

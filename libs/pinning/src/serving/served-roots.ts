import type { CID } from '@cairn/cid';
import type { PinMode, PinStore } from '../pin-store.ts';

/** Roots of one origin, such as the pins of an account. */
export interface ServedRoots {
  /** Name of the origin. Roots of an origin that is no longer listed end to be served. */
  readonly origin: string;
  /** Streams roots in the order of the bytes of their CIDs. */
  roots(mode: PinMode): AsyncIterable<CID>;
}

/** Roots that any account pins. */
export function rootsOfAllPins(pins: Pick<PinStore, 'roots'>): ServedRoots {
  return {
    origin: 'pins',
    async *roots(mode) {
      for await (const { cid } of pins.roots(mode)) yield cid;
    },
  };
}

/** Roots that one account pins. */
export function rootsOfAccount(pins: Pick<PinStore, 'list'>, account: string): ServedRoots {
  return {
    origin: `account ${account}`,
    async *roots(mode) {
      for await (const pin of pins.list(account)) if (pin.mode === mode) yield pin.cid;
    },
  };
}

import type { BillingStore } from '@cairn/billing';
import type { MeteringStores } from '@cairn/metering';
import type { PinStore } from '@cairn/pinning';

/** Stores that the console reads beside accounts. */
export interface ConsoleStores extends MeteringStores {
  readonly pins: PinStore;
  readonly billing: BillingStore;
}

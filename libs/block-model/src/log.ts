import type { Hex } from './hex.ts';

/** Log entry of a contract (Yellow Paper, section 4.3.1). */
export interface Log {
  readonly address: Hex;
  /** At most four, 32 bytes each. */
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

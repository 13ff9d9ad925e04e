import type { Hex, Withdrawal } from '@cairn/block-model';
import type { BlockOverrides, CallRequest, StateOverrides } from '../call-request.ts';

/** Overrides of the header of a simulated block. */
export interface SimulatedBlockOverrides extends BlockOverrides {
  /** 32 bytes (EIP-4788). */
  readonly beaconRoot?: Hex;
  readonly withdrawals?: readonly Withdrawal[];
}

/** One block of a simulation: overrides and calls. */
export interface SimulatedBlock {
  readonly blockOverrides?: SimulatedBlockOverrides;
  /** Applied before the calls run. Later blocks see them too. */
  readonly stateOverrides?: StateOverrides;
  readonly calls: readonly CallRequest[];
}

/** First parameter of eth_simulateV1 (execution-apis). */
export interface Simulation {
  readonly blocks: readonly SimulatedBlock[];
  /** Add a log for each transfer of value, in the form of ERC-20 from the address of ERC-7528. Default false. */
  readonly traceTransfers?: boolean;
  /** Check nonces, base fee and gas cap as for real transactions. Default false. */
  readonly validation?: boolean;
  /** Return whole transactions instead of their hashes. Default false. */
  readonly returnFullTransactions?: boolean;
}

export const simulationLimits = {
  blocksMax: 256, // geth's limit; includes blocks that fill gaps between numbers.
  blockCallsMax: 5_000, // geth's limit.
  callsMax: 10_000, // geth's limit.
  // Gas of all calls together. geth's default, since the gas of a call without `gas` is part of its transaction hash.
  gasMax: 50_000_000n,
} as const;

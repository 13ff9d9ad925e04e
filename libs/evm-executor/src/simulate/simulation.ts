import type { Hex, Withdrawal } from '@cairn/block-model';
import type { BlockOverrides, CallRequest, StateOverrides } from '../call-request.ts';

/** What a simulated block pretends about itself. */
export interface SimulatedBlockOverrides extends BlockOverrides {
  /** 32 bytes (EIP-4788). */
  readonly beaconRoot?: Hex;
  readonly withdrawals?: readonly Withdrawal[];
}

/** One block of a simulation: what is pretended, and the transactions to run. */
export interface SimulatedBlock {
  readonly blockOverrides?: SimulatedBlockOverrides;
  /** Made before the transactions run; later blocks see them as well. */
  readonly stateOverrides?: StateOverrides;
  readonly calls: readonly CallRequest[];
}

/** What eth_simulateV1 takes as its first parameter (execution-apis). */
export interface Simulation {
  readonly blocks: readonly SimulatedBlock[];
  /** Also tell transfers of value, as logs in the form of ERC-20 from the address of ERC-7528. Default false. */
  readonly traceTransfers?: boolean;
  /** Hold transactions to nonces, base fee and gas cap, as real ones are. Default false. */
  readonly validation?: boolean;
  /** Whole transactions rather than their hashes. Default false. */
  readonly returnFullTransactions?: boolean;
}

export const simulationLimits = {
  blocksMax: 256, // Those that fill gaps included, as in geth.
  // As in geth.
  blockCallsMax: 5_000,
  callsMax: 10_000,
  // What a transaction gets that names no gas stands in its hash: the same as geth gives by default. For all together.
  gasMax: 50_000_000n,
} as const;

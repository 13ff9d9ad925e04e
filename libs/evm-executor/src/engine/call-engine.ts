import type { AccessListEntry, Hex } from '@cairn/block-model';
import type { BlockEnvironment } from '../block-environment.ts';
import type { ForkRules } from '../fork-rules.ts';
import type { WorldState } from '../world-state.ts';

/** One message for an engine. Addresses are 20 bytes. */
export interface EngineMessage {
  readonly rules: ForkRules;
  readonly block: BlockEnvironment;
  readonly world: WorldState;
  /** For BLOCKHASH; the engine asks for the 256 blocks before `block.number` only. */
  readonly blockHash: (number: bigint) => Hex | undefined;
  /** Both ORIGIN and the caller. Its nonce is that of after the message, as in a transaction. */
  readonly sender: Uint8Array;
  /** Absent: create a contract. */
  readonly to?: Uint8Array;
  readonly value: bigint;
  readonly data: Uint8Array;
  /** What is left for the code: intrinsic gas is taken off. */
  readonly gas: bigint;
  readonly gasPrice: bigint;
  readonly blobVersionedHashes: readonly Hex[];
  /** Warm from the start (EIP-2929); empty before Berlin. */
  readonly warm: readonly AccessListEntry[];
  /** Precompiles that are elsewhere or nowhere in this call. */
  readonly precompiles: PrecompileChanges;
}

/** Where precompiles answer instead. */
export interface PrecompileChanges {
  /** Addresses that are ordinary accounts now. */
  readonly removed: ReadonlySet<Hex>;
  /** The precompile that answers at an address, by that address. */
  readonly moved: ReadonlyMap<Hex, Hex>;
}

/** How a message ended. Its changes are in the world where it succeeded, and taken back where not. */
export interface EngineOutcome {
  readonly kind: 'success' | 'revert' | 'halt';
  /** Of a creation: the code to deploy. */
  readonly output: Uint8Array;
  /** Of `gas`, before refunds. */
  readonly gasUsed: bigint;
  /** Refund counter (EIP-3529), before its bound; 0 unless the message succeeded. */
  readonly gasRefund: bigint;
  /** Of a halt, in geth's words. */
  readonly reason?: string;
}

/**
 * What runs code. An engine knows nothing of transactions: fees, intrinsic gas, nonces and overrides are done before
 * it is asked.
 */
export interface CallEngine {
  readonly name: string;
  /** May be called again before it has answered; the calls must not see each other. */
  run(message: EngineMessage): Promise<EngineOutcome>;
}

import type { ForkRules } from '../forks/fork-rules.ts';
import type { Halt } from '../interpreter/halt.ts';

/**
 * Computes the output of a precompile, or the reason of its failure.
 * @param onSlice called repeatedly during work that may take seconds; an error that it throws ends the run
 */
export type RunPrecompile = (data: Uint8Array, rules: ForkRules, onSlice?: () => void) => Uint8Array | Halt;

import { compareBytes } from '@cairn/platform';
import { executionErrors, StateUnavailableError } from '../errors.ts';
import type { ExecuteCallOptions } from '../execute-call.ts';
import { recordCall } from '../record-call.ts';
import { ancestorsDownTo } from './ancestor-hashes.ts';
import type { CallSource } from './call-source.ts';
import type { CallWitnessJob, CallWitnessResult } from './execution-job.ts';

/**
 * Executes a call and collects its witness.
 * @throws STATE_UNAVAILABLE for a source without trie nodes, WITNESS_TOO_LARGE, and the errors of the call except CALL_*
 */
export async function serveCallWitness(
  { chain, bytesMax }: CallWitnessJob,
  options: ExecuteCallOptions,
  source: CallSource,
): Promise<CallWitnessResult> {
  const { header } = options;
  const { result, reads, codes, lowestHash } = await recordCall(options);
  const nodes = await source.witnessNodes?.(header.hash, { reads, changes: [] });
  if (nodes === undefined) throw new StateUnavailableError(chain, header.hash);
  const headers = ancestorsDownTo(source, header, lowestHash && lowestHash + 1n).map(({ raw }) => raw);
  const parts = { headers, codes: inOrder(codes), nodes: inOrder(nodes) };
  const bytes = [...parts.headers, ...parts.codes, ...parts.nodes].reduce((sum, { length }) => sum + length, 0);
  if (bytes > bytesMax) throw executionErrors.witnessTooLarge(bytes, bytesMax);
  return { kind: 'callWitness', result, ...parts, gasUsed: result.gasUsed };
}

/** Sorts and removes duplicates, so that equal calls have equal witnesses. */
function inOrder(items: readonly Uint8Array[]): Uint8Array[] {
  return [...items].sort(compareBytes).filter((item, at, all) => {
    const before = all[at - 1];
    return before === undefined || compareBytes(before, item) !== 0;
  });
}

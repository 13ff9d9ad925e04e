import type { StateReader } from '@cairn/block-model';
import { ProvenStateError } from './errors.ts';
import { type FetchOptions, fetchNeeds, type StateBlock } from './fetch-needs.ts';
import { provenStateLimits } from './limits.ts';
import { ProvenState } from './proven-state.ts';
import { type AccountNeed, StateNeeds } from './state-needs.ts';

export interface RunOptions extends FetchOptions {
  /** Reads that the run probably needs. They are fetched before the first run, if they are not cached. */
  readonly hint?: readonly AccountNeed[];
}

export interface RunOutcome<T> {
  readonly value: T;
  /** Rounds of requests to upstreams. */
  readonly rounds: number;
  /** Reads of the valid run, for a later hint. */
  readonly reads: readonly AccountNeed[];
}

/**
 * Runs `work` over the state of a block and repeats it until all reads are proven. A run with missing reads continues with
 * empty values, so that one round fetches all reads that it finds. Its result or error is discarded. `work` must have no
 * side effects, and must end on any state.
 * @throws the error of the valid run; STATE_ROUNDS_EXCEEDED, STATE_READS_EXCEEDED, UpstreamError, the reason of the signal
 */
export async function runOverState<T>(
  block: StateBlock,
  work: (state: StateReader) => T | Promise<T>,
  { hint = [], ...options }: RunOptions,
): Promise<RunOutcome<T>> {
  let rounds = 0;
  let reads = 0;
  const fetch = async (needs: StateNeeds) => {
    reads += needs.reads;
    rounds += 1;
    requireBounds(rounds, reads);
    await fetchNeeds(block, needs.list(), options);
  };
  const missing = missingOf(block, hint, options);
  if (missing.reads > 0) await fetch(missing);
  for (;;) {
    options.signal?.throwIfAborted();
    const needs = new StateNeeds();
    const state = new ProvenState({ stateRoot: block.stateRoot, cache: options.cache, needs });
    const result = await settle(() => work(state));
    if (needs.reads > 0) {
      await fetch(needs);
      continue;
    }
    if ('error' in result) throw result.error;
    return { value: result.value, rounds, reads: state.reads() };
  }
}

/** The part of a hint that is not cached. */
function missingOf(block: StateBlock, hint: readonly AccountNeed[], { cache }: FetchOptions): StateNeeds {
  const needs = new StateNeeds();
  const state = new ProvenState({ stateRoot: block.stateRoot, cache, needs, withCode: false });
  for (const { address, slots, needsCode } of hint) {
    const account = state.getAccount(address);
    const isMissing = account === undefined ? needs.has(address) : needsCode && !state.hasCode(account);
    if (isMissing) needs.account(address, { needsCode });
    for (const slot of slots) state.getStorage(address, slot);
  }
  return needs;
}

async function settle<T>(work: () => T | Promise<T>): Promise<{ readonly value: T } | { readonly error: unknown }> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error };
  }
}

function requireBounds(rounds: number, reads: number): void {
  const { roundsMax, readsMax } = provenStateLimits;
  if (rounds > roundsMax)
    throw new ProvenStateError(
      'STATE_ROUNDS_EXCEEDED',
      `The run needs more than ${roundsMax} rounds of state requests.`,
      {
        hint: 'Split the call, or use a network with local state.',
      },
    );
  if (reads > readsMax)
    throw new ProvenStateError('STATE_READS_EXCEEDED', `The run reads more than ${readsMax} accounts and slots.`, {
      hint: 'Split the call, or use a network with local state.',
    });
}

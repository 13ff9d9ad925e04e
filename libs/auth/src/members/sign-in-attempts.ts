import { FailureGate } from '../failure-gate.ts';

/** One attempt at a password or a code. It counts as failed until its outcome is known. */
export interface SignInAttempt {
  /** Records success: failed attempts with this e-mail address and client address are cleared. */
  succeeded(): Promise<void> | void;
  /** Uncounts the attempt, which neither failed nor signed in. */
  withdrawn(): Promise<void> | void;
}

/** Port of the counters of attempts. Processes that share counters share the number of guesses. */
export interface SignInAttempts {
  /**
   * Counts an attempt before it is checked, so that concurrent guesses cannot exceed the limit.
   * @throws ATTEMPTS_PAUSED with `retryAfterSeconds` in its details
   */
  reserve(email: string, address: string | undefined): Promise<SignInAttempt> | SignInAttempt;
}

/** Creates counters of this process only. */
export function localSignInAttempts(gate: FailureGate = new FailureGate()): SignInAttempts {
  return {
    reserve(email, address) {
      gate.check(email, address);
      gate.recordFailure(email, address);
      return {
        succeeded() {
          gate.withdrawFailure(email, address);
          gate.recordSuccess(email, address);
        },
        withdrawn: () => gate.withdrawFailure(email, address),
      };
    },
  };
}

import { FailureGate } from '../failure-gate.ts';

/** One attempt at a password or a code, counted as wrong until its outcome is known. */
export interface SignInAttempt {
  /** It was right: wrong ones with this e-mail address from there before it are forgotten. */
  succeeded(): Promise<void> | void;
  /** It was neither right nor wrong: it does not count. */
  withdrawn(): Promise<void> | void;
}

/** The port to the counters of attempts: processes that share them share the number of guesses. */
export interface SignInAttempts {
  /**
   * Counts an attempt before it is looked at, so that many at the same time are not all let through.
   * @throws ATTEMPTS_PAUSED with `retryAfterSeconds` in its details
   */
  reserve(email: string, address: string | undefined): Promise<SignInAttempt> | SignInAttempt;
}

/** Attempts of this process only. */
export function localSignInAttempts(gate: FailureGate = new FailureGate()): SignInAttempts {
  return {
    reserve(email, address) {
      gate.check(email, address);
      gate.failed(email, address);
      return {
        succeeded() {
          gate.withdrawn(email, address);
          gate.succeeded(email, address);
        },
        withdrawn: () => gate.withdrawn(email, address),
      };
    },
  };
}

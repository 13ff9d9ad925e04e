import type { Steps } from '../sliced-steps.ts';

/** Runs all steps within the call. */
export function finishSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

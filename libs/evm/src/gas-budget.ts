/**
 * A run has used up what it may cost where it is, and nothing is known of how it would have ended: it has to begin anew
 * where it may cost more. Thrown without a trace of the stack.
 */
export class GasBudgetExceeded {
  readonly name = 'GasBudgetExceeded';
}

export const gasBudgetExceeded = new GasBudgetExceeded();

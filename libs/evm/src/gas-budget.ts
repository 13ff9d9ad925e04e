/**
 * Thrown when an inline run exceeds its gas budget; retry it in a worker. Not an Error: it needs no stack trace.
 */
export class GasBudgetExceeded {
  readonly name = 'GasBudgetExceeded';
}

export const gasBudgetExceeded = new GasBudgetExceeded();

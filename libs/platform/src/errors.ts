import { CairnError } from '@cairn/errors';

/** Thrown when a parameter that takes bytes has another type. */
export class InvalidBytesError extends CairnError<'BYTES_INVALID'> {
  constructor(parameter: string, expected: string, got: string, hint: string) {
    super('BYTES_INVALID', `${parameter}: expected ${expected}, got ${got}.`, { hint, details: { parameter, got } });
  }
}

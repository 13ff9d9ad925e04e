import { CairnError } from '@cairn/errors';

/** A parameter that takes bytes got something else. */
export class InvalidBytesError extends CairnError<'BYTES_INVALID'> {
  constructor(parameter: string, expected: string, got: string, hint: string) {
    super('BYTES_INVALID', `${parameter}: expected ${expected}, got ${got}.`, { hint, details: { parameter, got } });
  }
}

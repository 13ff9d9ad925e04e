import { CairnError } from '@cairn/errors';

/** The bytes or the JSON do not encode the expected value. */
export class DecodeError extends CairnError<'DECODE_FAILED'> {
  /** @param what name of the expected value, such as `block`; it begins the message */
  constructor(what: string, reason: string, cause?: unknown) {
    super('DECODE_FAILED', `${what}: ${reason}.`, { details: { what, reason }, cause });
  }
}

import { CairnError } from '@cairn/errors';

/** The bytes or the JSON do not encode the expected value. */
export class DecodeError extends CairnError<'DECODE_FAILED'> {
  /** @param what name of the expected value, such as `block`; it begins the message */
  constructor(what: string, reason: string, cause?: unknown) {
    super('DECODE_FAILED', `${what}: ${reason}.`, { details: { what, reason }, cause });
  }
}

/** The value is neither bytes nor a list, so RLP has no encoding for it. */
export class InvalidItemError extends CairnError<'BYTES_INVALID'> {
  /** @param parameter name of the value; it begins the message */
  constructor(parameter: string, expected: string, value: unknown) {
    const got = value === null ? 'null' : typeof value === 'object' ? `an object (${nameOf(value)})` : typeof value;
    super('BYTES_INVALID', `${parameter}: expected ${expected}, got ${got}.`, {
      hint: 'Encode text with new TextEncoder().encode(text), and a number as its bytes, big-endian without leading zeros.',
      details: { parameter, got },
    });
  }
}

function nameOf(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

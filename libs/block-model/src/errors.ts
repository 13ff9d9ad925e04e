import { boundedJson, CairnError } from '@cairn/errors';

/** Thrown for a value of a request that has the wrong form. */
export class InvalidValueError extends CairnError<'VALUE_INVALID'> {
  /** @param reason the fault in the wording of geth, without the field; the message on the wire begins with it */
  constructor(field: string, expected: string, input: unknown, reason?: string) {
    super('VALUE_INVALID', `${field}: expected ${expected}, got ${shown(input)}`, {
      details: { field, expected, ...(reason !== undefined && { reason }) },
    });
  }
}

/** Thrown for a block whose parts do not match its header, or whose header does not match the requested hash. */
export class CorruptBlockError extends CairnError<'BLOCK_CORRUPT'> {
  constructor(hash: string, field: string, expected: string, actual: string) {
    super('BLOCK_CORRUPT', `Block ${hash} is corrupt: its ${field} is ${actual}, not ${expected}.`, {
      hint: 'Import the chain again.',
      details: { hash, field, expected, actual },
    });
  }
}

function shown(input: unknown): string {
  const text = boundedJson(input, 81);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

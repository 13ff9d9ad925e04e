import { boundedJson, CairnError } from '@cairn/errors';

/** Thrown for a value of a request that has the wrong form. */
export class InvalidValueError extends CairnError<'VALUE_INVALID'> {
  /** @param reason the fault in the wording of geth, without the field; the message on the wire begins with it */
  constructor(field: string, expected: string, input: unknown, reason?: string) {
    super('VALUE_INVALID', `${field}: expected ${expected}, ${found(input)}`, {
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

function found(input: unknown): string {
  if (input === undefined) return 'but it is missing';
  const text = boundedJson(input, 81);
  return `got ${text.length > 80 ? `${text.slice(0, 77)}...` : text}`;
}

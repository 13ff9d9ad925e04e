import { CairnError } from '@cairn/errors';

/** A value of a request has the wrong form. */
export class InvalidValueError extends CairnError<'VALUE_INVALID'> {
  /** @param reason the fault in the words of geth, without the field; they begin the message on the wire */
  constructor(field: string, expected: string, input: unknown, reason?: string) {
    super('VALUE_INVALID', `${field}: expected ${expected}, got ${shown(input)}`, {
      details: { field, expected, ...(reason !== undefined && { reason }) },
    });
  }
}

/** A block whose parts do not have the names that its header gives them, or whose header is not the one asked for. */
export class CorruptBlockError extends CairnError<'BLOCK_CORRUPT'> {
  constructor(hash: string, field: string, expected: string, actual: string) {
    super('BLOCK_CORRUPT', `Block ${hash} is corrupt: its ${field} is ${actual}, not ${expected}.`, {
      hint: 'Import the chain anew.',
      details: { hash, field, expected, actual },
    });
  }
}

function shown(input: unknown): string {
  const text = typeof input === 'bigint' ? `${input}` : (JSON.stringify(input) ?? String(input));
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

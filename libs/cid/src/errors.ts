import { CairnError } from '@cairn/errors';

/** Thrown for a text that is not a CID. */
export class InvalidCidError extends CairnError<'CID_INVALID'> {
  constructor(input: unknown, reason: string, cause?: unknown) {
    super('CID_INVALID', `${quote(input)} is not a CID: ${reason}.`, {
      hint: 'Expected a CID such as bafybei… (version 1) or Qm… (version 0).',
      details: { reason },
      cause,
    });
  }
}

/** Thrown for an option of a CID with a value that no CID can have. */
export class InvalidCidOptionError extends CairnError<'CID_INVALID'> {
  constructor(option: string, value: unknown, expected: string) {
    const got = typeof value === 'string' ? quote(value) : String(value);
    super('CID_INVALID', `${option}: expected ${expected}, got ${got}.`, { details: { option } });
  }
}

/** Thrown for a hash function without implementation, or a digest length that the function does not have. */
export class UnsupportedHashError extends CairnError<'HASH_UNSUPPORTED'> {
  constructor(hash: string | number, reason = 'is not supported') {
    const name = typeof hash === 'number' ? `0x${hash.toString(16)}` : hash.slice(0, 64);
    super('HASH_UNSUPPORTED', `Hash function ${name} ${reason}.`, {
      hint: 'Use sha2-256, or another function of the list in the README of @cairn/cid.',
      details: { hash: name },
    });
  }
}

/** Thrown for a digest whose length is not allowed in a CID. The message is that of Kubo (boxo, `verifcid`). */
export class DigestLengthError extends CairnError<'HASH_UNSUPPORTED'> {
  constructor(hash: string, length: number, bounds: { readonly min: number; readonly max: number }) {
    const [size, bound] = length < bounds.min ? ['small', `minimum ${bounds.min}`] : ['large', `maximum ${bounds.max}`];
    super('HASH_UNSUPPORTED', `digest too ${size}: ${hash} digest got ${length} bytes, ${bound}`, {
      details: { hash },
    });
  }
}

/** Thrown for an unknown multibase name. */
export class UnknownMultibaseError extends CairnError<'MULTIBASE_UNKNOWN'> {
  constructor(base: string, known: readonly string[]) {
    super('MULTIBASE_UNKNOWN', `${quote(base)} is not a multibase.`, { hint: `Known are ${known.join(', ')}.` });
  }
}

/** Thrown for a text that does not decode as the multibase of its first character. The message is that of go-multibase. */
export class InvalidMultibaseError extends CairnError<'MULTIBASE_INVALID'> {
  constructor(reason: string) {
    super('MULTIBASE_INVALID', reason);
  }
}

/** Thrown for bytes that do not match their CID. */
export class CorruptBlockError extends CairnError<'BLOCK_CORRUPT'> {
  constructor(cid: string, details: { readonly expected: string; readonly actual: string }) {
    super('BLOCK_CORRUPT', `The bytes of block ${cid} do not match its name.`, {
      hint: 'Add the same content again to repair the block.',
      details: { cid, ...details },
    });
  }
}

function quote(input: unknown): string {
  if (typeof input !== 'string') return `A value of type ${input === null ? 'null' : typeof input}`;
  return JSON.stringify(input.length > 80 ? `${input.slice(0, 77)}...` : input);
}

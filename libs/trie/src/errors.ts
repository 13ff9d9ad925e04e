import { CairnError } from '@cairn/errors';

/** A node is missing from the node store, or its bytes are no trie node, or do not match its hash. */
export class CorruptNodeError extends CairnError<'BLOCK_CORRUPT'> {
  /** @param node the hash of the node where it is known, otherwise `(inline)` */
  constructor(node: string, expected: string, actual: string, cause?: unknown) {
    super('BLOCK_CORRUPT', `Trie node ${node} is corrupt: expected ${expected}, found ${actual}.`, {
      hint: 'Import the chain anew.',
      details: { node, expected, actual },
      cause,
    });
  }
}

/** Thrown for an untrusted proof that does not lead from its root to the key. */
export class InvalidProofError extends CairnError<'PROOF_INVALID'> {
  /** @param index position of the faulty node within the proof; `undefined` for a fault of the whole */
  constructor(index: number | undefined, reason: string, cause?: unknown) {
    super(
      'PROOF_INVALID',
      `${index === undefined ? 'The proof' : `Node ${index} of the proof`} is invalid: ${reason}.`,
      {
        hint: 'Request the proof from another node.',
        details: { index, reason },
        cause,
      },
    );
  }
}

/** A key is given twice, is a prefix of another key, or is longer than the limit. */
export class InvalidKeyError extends CairnError<'TRIE_KEY_INVALID'> {
  constructor(key: string, reason: string) {
    super('TRIE_KEY_INVALID', `Trie key 0x${key} is invalid: ${reason}.`, { details: { key, reason } });
  }
}

/** An entry has an empty value, which no trie can contain: such a key is absent. */
export class EmptyValueError extends CairnError<'TRIE_VALUE_EMPTY'> {
  constructor(key: string) {
    super('TRIE_VALUE_EMPTY', `The value of trie key 0x${key} is empty: expected one byte or more.`, {
      hint: 'Leave out keys without a value.',
      details: { key },
    });
  }
}

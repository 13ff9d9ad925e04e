import { CairnError } from '@cairn/errors';
import { limits } from './limits.ts';

/** Part of the work on a record that failed: reading its bytes, or verification for its name. */
export type RecordStage = 'decode' | 'verify';

/** Thrown for an IPNS record that does not verify for its name. `details.words` is the message of Kubo. */
export class InvalidRecordError extends CairnError<'IPNS_RECORD_INVALID'> {
  constructor(reason: string, { words, stage }: { readonly words: string; readonly stage: RecordStage }) {
    super('IPNS_RECORD_INVALID', `The IPNS record is invalid: ${reason}.`, {
      hint: 'Publish a record with a valid V2 signature (https://specs.ipfs.tech/ipns/ipns-record/).',
      details: { words, stage },
    });
  }
}

/** Thrown for bytes that are not a usable key. `details.words` is the message of Kubo. */
export class InvalidKeyError extends CairnError<'IPNS_KEY_INVALID'> {
  constructor(words: string, cause?: unknown) {
    super('IPNS_KEY_INVALID', `The key cannot be used: ${words}.`, {
      hint: 'Send a private key as libp2p protobuf or as PKCS #8 in PEM.',
      details: { words },
      cause,
    });
  }
}

/** Thrown for a label that another key of the account has. */
export class KeyLabelExistsError extends CairnError<'IPNS_KEY_EXISTS'> {
  constructor(label: string) {
    super('IPNS_KEY_EXISTS', `A key named ${JSON.stringify(label)} exists.`, {
      hint: 'Choose another name, or remove the key first.',
      details: { label },
    });
  }
}

/** Thrown for a label without a key. */
export class KeyLabelUnknownError extends CairnError<'IPNS_KEY_UNKNOWN'> {
  constructor(label: string) {
    super('IPNS_KEY_UNKNOWN', `No key is named ${JSON.stringify(label.slice(0, limits.labelCharactersMax))}.`, {
      hint: 'List the keys of the account, or create one.',
      details: { label },
    });
  }
}

/** Thrown if a bound on stored keys or records is reached. */
export class NamesFullError extends CairnError<'NAMES_FULL'> {
  constructor(what: string, max: number) {
    super('NAMES_FULL', `${what} reached the limit of ${max}.`, {
      hint: 'Remove keys, let records expire, or ask the operator.',
      details: { max },
    });
  }
}

/** Thrown for a sequence number that is not above that of the stored record. */
export class SequenceTooLowError extends CairnError<'IPNS_SEQUENCE_LOW'> {
  constructor(sequence: bigint, current: bigint) {
    super('IPNS_SEQUENCE_LOW', `The sequence ${sequence} is not above ${current}.`, {
      hint: 'Choose a larger sequence, or omit it.',
      details: { sequence: String(sequence), current: String(current) },
    });
  }
}

/** Reason why a name has no content. */
export type UnresolvedReason = 'no-record' | 'no-dnslink' | 'recursion' | 'bad-value';

/** Thrown for a name without content. */
export class NameUnresolvedError extends CairnError<'NAME_UNRESOLVED'> {
  constructor(name: string, reason: UnresolvedReason) {
    super('NAME_UNRESOLVED', `The name ${name.slice(0, 300)} has no content: ${reason}.`, {
      hint: 'Publish a record of the name, or the TXT record _dnslink of the domain.',
      details: { name, reason },
    });
  }
}

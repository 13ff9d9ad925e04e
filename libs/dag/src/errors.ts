import { CairnError } from '@cairn/errors';

/** Thrown for bytes that are not a block of the codec. */
export class UndecodableError extends CairnError<'DAG_INVALID'> {
  constructor(what: string, codec: string, cause: unknown) {
    super('DAG_INVALID', `${what} does not decode as ${codec}: ${reasonOf(cause)}.`, {
      hint: `Send valid ${codec}, or name the actual codec.`,
      details: { what, codec },
      cause,
    });
  }
}

/** Thrown for a value that the codec cannot represent. */
export class UnencodableError extends CairnError<'VALUE_INVALID'> {
  constructor(codec: string, cause: unknown) {
    super('VALUE_INVALID', `The value cannot be encoded as ${codec}: ${reasonOf(cause)}.`, {
      hint: 'Choose another codec, or a value that this codec can represent.',
      details: { codec },
      cause,
    });
  }
}

/** Thrown if a name of a path has no value. The message is that of go-ipld-prime. */
export class PathLookupError extends CairnError<'PATH_LOOKUP_FAILED'> {
  constructor(reason: string) {
    super('PATH_LOOKUP_FAILED', reason);
  }
}

/** Thrown for an unsupported codec. */
export class UnknownCodecError extends CairnError<'CODEC_UNSUPPORTED'> {
  constructor(codec: string) {
    super('CODEC_UNSUPPORTED', `The codec ${codec} is not supported.`, {
      hint: 'Use dag-pb, dag-cbor, dag-json, dag-jose or raw.',
      details: { codec },
    });
  }
}

/** Thrown for a stream that is not a CAR or is truncated. */
export class InvalidCarError extends CairnError<'CAR_INVALID'> {
  /** `words` is the message of go-car, which clients match. */
  constructor(reason: string, { cause, words }: { readonly cause?: unknown; readonly words?: string } = {}) {
    super('CAR_INVALID', `The CAR cannot be read: ${reason}.`, {
      hint: 'Expected a CAR of version 1 or 2 (https://ipld.io/specs/transport/car/).',
      ...(words !== undefined && { details: { words } }),
      cause,
    });
  }
}

function reasonOf(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '').slice(0, 200);
}

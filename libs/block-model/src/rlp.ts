import { RLP } from '@ethereumjs/rlp';
import { DecodeError } from './errors.ts';

/** A decoded RLP value (Yellow Paper, appendix B). */
export type RlpItem = Uint8Array | RlpItem[];

export const encodeRlp = (item: RlpItem): Uint8Array => RLP.encode(item);

/** Decodes one strict RLP value that takes all of `bytes`. @throws DECODE_FAILED */
export function decodeRlp(what: string, bytes: Uint8Array): RlpItem {
  try {
    return RLP.decode(bytes) as RlpItem;
  } catch (error) {
    throw new DecodeError(what, 'it is not valid RLP', error);
  }
}

/** Reads the fields of an RLP list one after the other, each with its type. */
export class FieldReader {
  readonly #what: string;
  readonly #items: readonly RlpItem[];
  #at = 0;

  constructor(what: string, item: RlpItem) {
    if (item instanceof Uint8Array) throw new DecodeError(what, 'expected a list');
    this.#what = what;
    this.#items = item;
  }

  get left(): number {
    return this.#items.length - this.#at;
  }

  bytes(field: string, ...lengths: readonly number[]): Uint8Array {
    const item = this.#items[this.#at++];
    if (!(item instanceof Uint8Array)) throw this.#fault(field, 'expected bytes');
    if (lengths.length > 0 && !lengths.includes(item.length)) {
      throw this.#fault(field, `expected ${lengths.join(' or ')} bytes, found ${item.length}`);
    }
    return item;
  }

  integer(field: string): bigint {
    const bytes = this.bytes(field);
    if (bytes[0] === 0) throw this.#fault(field, 'an integer has leading zeros');
    if (bytes.length > 32) throw this.#fault(field, 'an integer is longer than 256 bits');
    return bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  }

  list(field: string): RlpItem[] {
    const item = this.#items[this.#at++];
    if (item === undefined || item instanceof Uint8Array) throw this.#fault(field, 'expected a list');
    return item;
  }

  /** @throws DECODE_FAILED when fields are left */
  end(): void {
    if (this.left > 0) throw new DecodeError(this.#what, `it has ${this.left} fields too many`);
  }

  #fault(field: string, reason: string): DecodeError {
    return new DecodeError(`${this.#what}, field ${field}`, reason);
  }
}

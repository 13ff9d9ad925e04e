import { bigintFromBytes, bytesFromBigint, bytesFromHex, type Hex } from '@cairn/block-model';
import { textFromUtf8, utf8FromText } from '@cairn/platform';
import { decodeRlp, encodeRlp, type RlpItem } from '@cairn/rlp';
import { VerifyError, withCode } from '../errors.ts';
import { verifyLimits } from '../limits.ts';

/** Version of the format. A reader refuses every other version. */
const version = 1n;
const magic = 'cairn-witness';

export type WitnessKind = 'call' | 'logs';

/** A witness as bytes, or as the hex of a JSON-RPC result. */
export type WitnessBytes = Uint8Array | string;

/** Encodes a witness: the RLP list `[magic, version, kind, chain id, ...fields]`. */
export function encodeEnvelope(kind: WitnessKind, chainId: bigint, fields: readonly RlpItem[]): Uint8Array {
  return encodeRlp([
    utf8FromText(magic),
    bytesFromBigint(version),
    utf8FromText(kind),
    bytesFromBigint(chainId),
    ...fields,
  ]);
}

/**
 * Decodes a witness from an untrusted source. RLP has one encoding for each value; nesting and number of values are bounded.
 * @throws WITNESS_TOO_LARGE, WITNESS_MALFORMED, WITNESS_VERSION_UNSUPPORTED
 */
export function decodeEnvelope(
  kind: WitnessKind,
  witness: WitnessBytes,
  fieldCount: number,
): { readonly chainId: bigint; readonly fields: readonly RlpItem[] } {
  const item = withCode('WITNESS_MALFORMED', 'The witness cannot be decoded', () =>
    decodeRlp('witness', bytesOfWitness(witness)),
  );
  const [name, number, found, chainId, ...fields] = listOf(item, 'witness', 4 + fieldCount + 16);
  if (textOf(name, 'magic', magic.length) !== magic) throw malformed('it does not begin with the name of the format');
  const given = integerOf(number, 'version');
  if (given !== version)
    throw new VerifyError('WITNESS_VERSION_UNSUPPORTED', `The witness has version ${given}, not ${version}.`);
  if (textOf(found, 'kind', 16) !== kind) throw malformed(`it is not the witness of a ${kind} request`);
  if (fields.length !== fieldCount) throw malformed(`it has ${fields.length} fields, not ${fieldCount}`);
  return { chainId: integerOf(chainId, 'chain id'), fields };
}

function bytesOfWitness(witness: WitnessBytes): Uint8Array {
  const { witnessBytesMax } = verifyLimits;
  const length = typeof witness === 'string' ? witness.length / 2 - 1 : witness.length;
  if (length > witnessBytesMax)
    throw new VerifyError('WITNESS_TOO_LARGE', `The witness has ${length} bytes. The limit is ${witnessBytesMax}.`);
  if (typeof witness !== 'string') return witness;
  if (witness.length % 2 !== 0 || !/^0x[0-9a-f]*$/.test(witness)) throw malformed('it is no lower-case hex');
  return bytesFromHex(witness as Hex);
}

export function malformed(reason: string): VerifyError {
  return new VerifyError('WITNESS_MALFORMED', `The witness is malformed: ${reason}.`);
}

export function listOf(item: RlpItem | undefined, name: string, lengthMax: number): RlpItem[] {
  if (item === undefined || item instanceof Uint8Array) throw malformed(`${name} is no list`);
  if (item.length > lengthMax) throw malformed(`${name} has ${item.length} items, more than ${lengthMax}`);
  return item;
}

export function bytesOf(item: RlpItem | undefined, name: string, lengthMax = Number.POSITIVE_INFINITY): Uint8Array {
  if (!(item instanceof Uint8Array) || item.length > lengthMax) throw malformed(`${name} is no bytes`);
  return item;
}

export function bytesListOf(item: RlpItem | undefined, name: string, lengthMax: number): Uint8Array[] {
  return listOf(item, name, lengthMax).map((each) => bytesOf(each, name));
}

export function integerOf(item: RlpItem | undefined, name: string): bigint {
  const bytes = bytesOf(item, name, 32);
  if (bytes[0] === 0) throw malformed(`${name} has leading zeros`);
  return bigintFromBytes(bytes);
}

export function textOf(item: RlpItem | undefined, name: string, lengthMax = Number.POSITIVE_INFINITY): string {
  const bytes = bytesOf(item, name, lengthMax);
  return withCode('WITNESS_MALFORMED', `The witness has no text as ${name}`, () => textFromUtf8(bytes));
}

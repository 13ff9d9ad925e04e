/** Go's number types of options: go-ipfs-cmds reads `int` and `uint` with 32 bits. */
export const integerTypes = {
  int: { isSigned: true, bits: 32n },
  int64: { isSigned: true, bits: 64n },
  uint: { isSigned: false, bits: 32n },
  uint64: { isSigned: false, bits: 64n },
} as const;

export type IntegerType = keyof typeof integerTypes;

const prefixes: Readonly<Record<string, RegExp>> = {
  '0x': /^0x_?[\da-f]+(_[\da-f]+)*$/,
  '0o': /^0o_?[0-7]+(_[0-7]+)*$/,
  '0b': /^0b_?[01]+(_[01]+)*$/,
};
const decimal = /^(0|[1-9]\d*(_\d+)*)$/;
const octal = /^0_?[0-7]+(_[0-7]+)*$/;
/** Digits of the longest number, 64 of base 2, with as many underscores. */
const charactersMax = 140;

/**
 * Parses a number as Go's `strconv.ParseInt` and `ParseUint` do with base 0: `0755` is octal, the prefixes `0x`,
 * `0o` and `0b` set the base, and underscores may separate digits.
 * @returns undefined for any other text, and beyond the bits of the type
 */
export function parseGoInteger(text: string, type: IntegerType): bigint | undefined {
  const { isSigned, bits } = integerTypes[type];
  const sign = isSigned ? /^[+-]/.exec(text)?.[0] : undefined;
  const digits = (sign === undefined ? text : text.slice(1)).toLowerCase();
  if (digits.length > charactersMax) return undefined;
  const magnitude = parseMagnitude(digits);
  if (magnitude === undefined) return undefined;
  const value = sign === '-' ? -magnitude : magnitude;
  const end = isSigned ? 1n << (bits - 1n) : 1n << bits;
  return value < end && value >= (isSigned ? -end : 0n) ? value : undefined;
}

function parseMagnitude(digits: string): bigint | undefined {
  const prefix = prefixes[digits.slice(0, 2)];
  if (prefix !== undefined) return prefix.test(digits) ? BigInt(digits.replaceAll('_', '')) : undefined;
  if (decimal.test(digits)) return BigInt(digits.replaceAll('_', ''));
  return octal.test(digits) ? BigInt(`0o${digits.replaceAll('_', '')}`) : undefined;
}

/** Parses a boolean as go-ipfs-cmds does: an empty text means true. @returns undefined for any other text */
export function parseGoBoolean(text: string): boolean | undefined {
  const word = text.toLowerCase();
  if (['', '1', 't', 'true'].includes(word)) return true;
  return ['0', 'f', 'false'].includes(word) ? false : undefined;
}

import type { Abi, AbiFunction, AbiParameter, Hex } from 'viem';
import { decodeErrorResult, decodeFunctionResult, encodeFunctionData } from 'viem/utils';

/** Error in an ABI or in an argument, for the person who entered it. */
export class AbiFault extends Error {}

/**
 * ABI from the text of a file: a list, or an object with the list under `abi`, as compilers write it.
 * @throws AbiFault
 */
export function parseAbiText(text: string): Abi {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new AbiFault('The ABI is not JSON. Paste the ABI that the compiler wrote.');
  }
  const list = Array.isArray(parsed) ? parsed : (parsed as { readonly abi?: unknown } | null)?.abi;
  if (!Array.isArray(list))
    throw new AbiFault('The JSON has no ABI: expected a list, or an object with the list "abi".');
  return list as Abi;
}

/** Functions of an ABI, by name. */
export function functionsOf(abi: Abi): readonly AbiFunction[] {
  const functions = abi.filter(
    (item): item is AbiFunction => item.type === 'function' && typeof item.name === 'string',
  );
  return [...functions].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** `transfer(address to, uint256 amount)` */
export function signatureOf({ name, inputs }: AbiFunction): string {
  return `${name}(${inputs.map(({ type, name: input }) => [type, input].filter(Boolean).join(' ')).join(', ')})`;
}

/**
 * Data of a call from the texts of its arguments.
 * @throws AbiFault
 */
export function encodeCall(item: AbiFunction, texts: readonly string[]): Hex {
  const args = item.inputs.map((input, index) => argumentOf(input, texts[index] ?? ''));
  try {
    return encodeFunctionData({ abi: [item], functionName: item.name, args });
  } catch (error) {
    throw new AbiFault(messageOf(error));
  }
}

/** Argument from a text: numbers in decimal or hexadecimal, lists and tuples as JSON. */
function argumentOf({ type, name }: AbiParameter, text: string): unknown {
  const given = text.trim();
  const label = name || type;
  if (type.endsWith(']') || type.startsWith('tuple')) {
    try {
      return JSON.parse(given);
    } catch {
      throw new AbiFault(`${label}: expected JSON for ${type}, such as ["1", "2"].`);
    }
  }
  if (type === 'bool') {
    if (given === 'true' || given === 'false') return given === 'true';
    throw new AbiFault(`${label}: expected true or false.`);
  }
  if (/^u?int/.test(type)) {
    if (/^(-?\d+|0x[0-9a-fA-F]+)$/.test(given)) return BigInt(given);
    throw new AbiFault(`${label}: expected a whole number, such as 1000.`);
  }
  return given;
}

/** One decoded value with the name and type of its output. */
export interface DecodedValue {
  readonly name: string;
  readonly type: string;
  readonly text: string;
}

/** Decoded outputs of a call; undefined if the data does not fit the function. */
export function decodeOutputs(item: AbiFunction, data: Hex): readonly DecodedValue[] | undefined {
  try {
    const result: unknown = decodeFunctionResult({ abi: [item], functionName: item.name, data });
    const values = item.outputs.length === 1 ? [result] : ((result ?? []) as readonly unknown[]);
    return item.outputs.map(({ name, type }, index) => ({ name: name ?? '', type, text: textOf(values[index]) }));
  } catch {
    return undefined;
  }
}

/** `Name(argument, …)` of a custom error of the ABI; undefined for other data. */
export function decodeRevert(abi: Abi, data: Hex): string | undefined {
  try {
    const { errorName, args } = decodeErrorResult({ abi, data });
    return `${errorName}(${(args ?? []).map(textOf).join(', ')})`;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'object')
    return JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? each.toString() : each));
  return String(value);
}

function messageOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'shortMessage' in error) return String(error.shortMessage);
  return error instanceof Error ? error.message : 'The arguments cannot be encoded.';
}

import { bytesFromHex, type Hex } from '@cairn/block-model';
import { hexDigitsFromBytes } from '@cairn/platform';

const errorSelector = '08c379a0';
const panicSelector = '4e487b71';
const word = 32;

/** Meanings of the codes of `Panic(uint256)`, with geth's text (accounts/abi). */
const panicReasons: ReadonlyMap<bigint, string> = new Map([
  [0x00n, 'generic panic'],
  [0x01n, 'assert(false)'],
  [0x11n, 'arithmetic underflow or overflow'],
  [0x12n, 'division or modulo by zero'],
  [0x21n, 'enum overflow'],
  [0x22n, 'invalid encoded storage byte array accessed'],
  [0x31n, 'out-of-bounds array access; popping on an empty array'],
  [0x32n, 'out-of-bounds access of an array or bytesN'],
  [0x41n, 'out of memory'],
  [0x51n, 'uninitialized function'],
]);

const text = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Decodes the reason in revert data: the text of `Error(string)` or the meaning of `Panic(uint256)`. Returns `undefined` for
 * custom errors, empty data and data that does not decode. See the Solidity manual, "Revert".
 */
export function decodeRevertReason(data: Hex | Uint8Array): string | undefined {
  const bytes = typeof data === 'string' ? bytesFromHex(data) : data;
  const selector = hexDigitsFromBytes(bytes.subarray(0, 4));
  const content = bytes.subarray(4);
  if (selector === errorSelector) return decodeString(content);
  if (selector === panicSelector) return decodePanic(content);
  return undefined;
}

/** Message of JSON-RPC error 3: `execution reverted`, followed by the reason if there is one. */
export function revertMessage(data: Hex | Uint8Array): string {
  const reason = decodeRevertReason(data);
  return reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`;
}

function decodePanic(content: Uint8Array): string | undefined {
  const code = wordAt(content, 0);
  if (code === undefined) return undefined;
  return panicReasons.get(code) ?? `unknown panic code: 0x${code.toString(16)}`;
}

function decodeString(content: Uint8Array): string | undefined {
  const offset = wordAt(content, 0);
  if (offset === undefined || offset > BigInt(content.length)) return undefined;
  const start = Number(offset) + word;
  const length = wordAt(content, Number(offset));
  if (length === undefined || length > BigInt(content.length - start)) return undefined;
  return text.decode(content.subarray(start, start + Number(length)));
}

function wordAt(content: Uint8Array, at: number): bigint | undefined {
  if (at + word > content.length) return undefined;
  return BigInt(`0x${hexDigitsFromBytes(content.subarray(at, at + word))}`);
}

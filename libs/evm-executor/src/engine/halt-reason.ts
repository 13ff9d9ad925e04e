import { bytesFromHex, type Hex } from '@cairn/block-model';
import { EVMError, type ExecResult } from '@ethereumjs/evm';
import { laterOpcodes } from './later-opcodes.ts';

const { errorMessages } = EVMError;
const stackMax = 1024;

/** Why a message halted, in geth's words (core/vm/errors.go). `to` is `undefined` for a creation. */
export function haltReason(
  { exceptionError, runState, gas }: ExecResult,
  to: Hex | undefined,
  data: Uint8Array,
): string {
  const error: string = exceptionError?.error ?? 'execution failed';
  if (error === errorMessages.OUT_OF_GAS) {
    if (runState !== undefined && readsBeyondReturnData(runState)) return 'return data out of bounds';
    // The code came to its end with gas to spare: what it could not pay is the storage of its output.
    return to === undefined && gas !== undefined && gas > 0n ? 'contract creation code storage out of gas' : error;
  }
  if (error === errorMessages.CODESTORE_OUT_OF_GAS) return 'contract creation code storage out of gas';
  if (runState === undefined) return to === undefined ? creationReason(error) : precompileReason(error, to, data);
  const { opCode, stack, code, programCounter } = runState;
  // 'invalid JUMP' is followed by the place in the code.
  if (error.startsWith(errorMessages.INVALID_JUMP)) return 'invalid jump destination';
  switch (error) {
    case errorMessages.STACK_UNDERFLOW:
      return `stack underflow (${stack.length} <=> ${stackNeeded(opCode)})`;
    case errorMessages.STACK_OVERFLOW:
      return `stack limit reached ${stack.length} (${stackMax - 1})`;
    case errorMessages.INVALID_OPCODE: {
      const opcode = code[programCounter] ?? opCode;
      return `invalid opcode: ${laterOpcodes.get(opcode) ?? `opcode 0x${opcode.toString(16)} not defined`}`;
    }
    case errorMessages.STATIC_STATE_CHANGE:
      return 'write protection';
    case errorMessages.OUT_OF_RANGE:
      return 'gas uint64 overflow';
    default:
      return creationReason(error);
  }
}

/** @ethereumjs says `out of gas` for that. */
function readsBeyondReturnData({ opCode, stack, returnBytes }: NonNullable<ExecResult['runState']>): boolean {
  if (opCode !== 0x3e || stack.length < 3) return false;
  const [, offset = 0n, length = 0n] = stack.peek(3);
  return offset + length > BigInt(returnBytes.length);
}

function creationReason(error: string): string {
  switch (error) {
    case errorMessages.CREATE_COLLISION:
      return 'contract address collision';
    case errorMessages.CODESIZE_EXCEEDS_MAXIMUM:
      return 'max code size exceeded';
    case errorMessages.INITCODE_SIZE_VIOLATION:
      return 'max initcode size exceeded';
    case errorMessages.INVALID_BYTECODE_RESULT:
      return 'invalid code: must not begin with 0xef';
    case errorMessages.INSUFFICIENT_BALANCE:
      return 'insufficient balance for transfer';
    default:
      return error;
  }
}

/** @ethereumjs tells less of what displeased a precompile than geth; what the input shows is told here. */
function precompileReason(error: string, to: Hex, data: Uint8Array): string {
  const number = Number(BigInt(to));
  if (number === 0x06 || number === 0x07) return 'bn256: malformed point';
  if (number === 0x08) return data.length % 192 === 0 ? 'bn256: malformed point' : 'bad elliptic curve pairing size';
  if (number === 0x09) return data.length === 213 ? 'invalid final flag' : 'invalid input length';
  if (number === 0x0a) return kzgReason(error, data);
  if (number >= 0x0b && number <= 0x11) return blsReason(error, data);
  return error === errorMessages.REVERT ? 'invalid input' : error;
}

function kzgReason(error: string, data: Uint8Array): string {
  if (data.length !== 192) return 'invalid input length';
  return error === errorMessages.INVALID_COMMITMENT ? 'mismatched versioned hash' : 'invalid proof';
}

/** The field modulus of BLS12-381 (EIP-2537). */
const blsModulus = bytesFromHex(
  '0x000000000000000000000000000000001a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab',
);

function blsReason(error: string, data: Uint8Array): string {
  if (error === errorMessages.BLS_12_381_INVALID_INPUT_LENGTH) return 'invalid input length';
  if (error === errorMessages.BLS_12_381_FP_NOT_IN_FIELD) {
    for (let at = 0; at + 64 <= data.length; at += 64) {
      if (data.subarray(at, at + 16).some((byte) => byte !== 0)) return 'invalid field element top bytes';
      if (Buffer.compare(data.subarray(at, at + 64), blsModulus) >= 0) return 'invalid fp.Element encoding';
    }
  }
  return 'invalid point: not on curve';
}

/** How many items an opcode takes from the stack, or needs on it. */
function stackNeeded(opcode: number): number {
  if (opcode >= 0x80 && opcode <= 0x8f) return opcode - 0x7f; // DUP1 to DUP16
  if (opcode >= 0x90 && opcode <= 0x9f) return opcode - 0x8e; // SWAP1 to SWAP16
  if (opcode >= 0xa0 && opcode <= 0xa4) return opcode - 0x9e; // LOG0 to LOG4
  if (three.has(opcode)) return 3;
  return fourOrMore.get(opcode) ?? (one.has(opcode) ? 1 : 2);
}

const one = new Set([0x15, 0x19, 0x1e, 0x31, 0x35, 0x3b, 0x3f, 0x40, 0x49, 0x50, 0x51, 0x54, 0x56, 0x5c, 0xff]);
const three = new Set([0x08, 0x09, 0x37, 0x39, 0x3e, 0x5e, 0xf0]);
const fourOrMore: ReadonlyMap<number, number> = new Map([
  [0x3c, 4],
  [0xf1, 7],
  [0xf2, 7],
  [0xf4, 6],
  [0xf5, 4],
  [0xfa, 6],
]);

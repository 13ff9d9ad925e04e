import { type Hex, hexFromBytes } from '@cairn/block-model';
import { op, opcodeAt, opcodeName } from '@cairn/evm';
import { EVMError, type ExecResult } from '@ethereumjs/evm';

const { errorMessages } = EVMError;
const stackMax = 1024;

/** Returns the reason of a halt in the wording of geth (core/vm/errors.go). `to` is `undefined` for a creation. */
export function haltReason(result: ExecResult, to: Hex | undefined, data: Uint8Array): string {
  const { exceptionError, runState, gas } = result;
  const error: string = exceptionError?.error ?? 'execution failed';
  if (error === errorMessages.OUT_OF_GAS) {
    if (runState !== undefined && readsBeyondReturnData(runState)) return 'return data out of bounds';
    // The bytecode ended with gas left, so the unpaid cost is the code deposit.
    return to === undefined && gas !== undefined && gas > 0n ? 'contract creation code storage out of gas' : error;
  }
  if (error === errorMessages.CODESTORE_OUT_OF_GAS) return 'contract creation code storage out of gas';
  if (runState === undefined) return to === undefined ? creationReason(error) : precompileReason(result, to, data);
  const { opCode, stack, code, programCounter } = runState;
  // @ethereumjs appends the position in the bytecode to 'invalid JUMP'.
  if (error.startsWith(errorMessages.INVALID_JUMP)) return 'invalid jump destination';
  switch (error) {
    case errorMessages.STACK_UNDERFLOW:
      return `stack underflow (${stack.length} <=> ${opcodeAt(opCode)?.pops ?? 0})`;
    case errorMessages.STACK_OVERFLOW:
      return `stack limit reached ${stack.length} (${stackMax - 1})`;
    case errorMessages.INVALID_OPCODE: {
      const opcode = code[programCounter] ?? opCode;
      return `invalid opcode: ${opcodeName(opcode)}`;
    }
    case errorMessages.STATIC_STATE_CHANGE:
      return 'write protection';
    case errorMessages.OUT_OF_RANGE:
      return 'gas uint64 overflow';
    default:
      return creationReason(error);
  }
}

/** Reports whether a halt was a read beyond the return data. @ethereumjs reports it as `out of gas`. */
function readsBeyondReturnData({ opCode, stack, returnBytes }: NonNullable<ExecResult['runState']>): boolean {
  if (opCode !== op.RETURNDATACOPY || stack.length < 3) return false;
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

/** Derives geth's reason of a failed precompile from its input, since @ethereumjs reports fewer details. */
function precompileReason({ exceptionError }: ExecResult, to: Hex, data: Uint8Array): string {
  const number = Number(BigInt(to));
  const error: string = exceptionError?.error ?? 'execution failed';
  if (number >= 0x06 && number <= 0x08) {
    if (number === 0x08 && data.length % 192 !== 0) return 'bad elliptic curve pairing size';
    return 'point is not on curve';
  }
  if (number === 0x05) return 'one or more of base/exponent/modulus length exceeded 1024 bytes';
  if (number === 0x09) return data.length === 213 ? 'invalid final flag' : 'invalid input length';
  if (number === 0x0a) return kzgReason(error, data);
  if (number >= 0x0b && number <= 0x11) {
    if (error === errorMessages.BLS_12_381_INVALID_INPUT_LENGTH || error === errorMessages.BLS_12_381_INPUT_EMPTY)
      return 'invalid input length';
    return 'invalid point: not on curve';
  }
  return error === errorMessages.REVERT ? 'invalid input' : error;
}

/** Order of the scalars of BLS12-381. */
const scalarModulus = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;

function kzgReason(error: string, data: Uint8Array): string {
  if (data.length !== 192) return 'invalid input length';
  if (error === errorMessages.INVALID_COMMITMENT) return 'mismatched versioned hash';
  const scalars = [data.subarray(32, 64), data.subarray(64, 96)].map((bytes) => BigInt(hexFromBytes(bytes)));
  const isCanonical = scalars.every((scalar) => scalar < scalarModulus);
  const why = isCanonical
    ? "can't verify opening proof"
    : 'scalar is not canonical when interpreted as a big integer in big-endian';
  return `error verifying kzg proof: ${why}`;
}

import { callOpcodes, isLog, op } from '@cairn/evm-compiler/opcodes';
import type { Frame } from '../interpreter/frame.ts';
import { gas, initCodeBytesMax, type OpcodeTable } from '../interpreter/gas.ts';
import { Halt, halts } from '../interpreter/halt.ts';
import type { Machine } from '../interpreter/machine.ts';
import { byteLength } from '../interpreter/words.ts';
import { type Address, addressFromWord, wordFromAddress } from '../state/addresses.ts';
import { delegationOf } from '../state/delegation.ts';
import { wordIntegers } from '../state/slot-table.ts';

/** A step to be priced, with its context. */
export interface PricedStep {
  readonly frame: Frame;
  readonly machine: Machine;
  readonly table: OpcodeTable;
  /** Remaining gas after the constant part of the price. */
  readonly left: bigint;
  /** Bytes of memory that the step needs, a multiple of 32. */
  readonly memoryEnd: bigint;
}

interface DynamicPrice {
  readonly gas: bigint;
  readonly refund?: number;
}

/** Largest memory size that geth counts (core/vm/gas_table.go). */
const countedBytesMax = 0x1f_ffff_ffe0n;
const uint64Max = 2n ** 64n - 1n;
const cold = BigInt(gas.coldAccountSurcharge);

const item = ({ frame: { stack, sp } }: PricedStep, index: number) => stack[sp - 1 - index] ?? 0n;
const addressAt = (step: PricedStep, index: number): Address => addressFromWord(BigInt.asUintN(160, item(step, index)));
const wordsOf = (bytes: bigint) => (bytes + 31n) / 32n;

/**
 * Returns the part of a price that depends on operands and state; `undefined` for a fixed price. @throws Halt with geth's
 * message
 */
export function dynamicPrice(opcode: number, step: PricedStep): DynamicPrice | undefined {
  const { rules } = step.machine.message;
  if (callOpcodes.has(opcode)) return { gas: callPrice(opcode, step) };
  if (isLog(opcode)) {
    const topics = BigInt(gas.log + (opcode - op.LOG0) * gas.logTopic);
    return { gas: memoryPrice(step) + topics + BigInt(gas.logByte) * item(step, 1) };
  }
  switch (opcode) {
    case op.EXP:
      return { gas: 10n + BigInt(step.table.expByte * byteLength(item(step, 1))) };
    case op.KECCAK256:
      return { gas: memoryPrice(step) + BigInt(gas.keccakWord) * wordsOf(item(step, 1)) };
    case op.CALLDATACOPY:
    case op.CODECOPY:
    case op.RETURNDATACOPY:
    case op.MCOPY:
      return { gas: memoryPrice(step) + BigInt(gas.copyWord) * wordsOf(item(step, 2)) };
    case op.EXTCODECOPY:
      return { gas: memoryPrice(step) + BigInt(gas.copyWord) * wordsOf(item(step, 3)) + coldPrice(step, 0) };
    case op.BALANCE:
    case op.EXTCODESIZE:
    case op.EXTCODEHASH:
      return rules.isBerlin ? { gas: coldPrice(step, 0) } : undefined;
    case op.MLOAD:
    case op.MSTORE:
    case op.MSTORE8:
    case op.RETURN:
    case op.REVERT:
      return { gas: memoryPrice(step) };
    case op.SLOAD:
      return rules.isBerlin ? { gas: BigInt(slotOf(step).isWarm ? gas.warmAccess : gas.coldSlot) } : undefined;
    case op.SSTORE:
      return storePrice(step);
    case op.CREATE:
    case op.CREATE2:
      return { gas: createPrice(opcode, step) };
    case op.SELFDESTRUCT:
      return selfDestructPrice(step);
    default:
      return undefined;
  }
}

/** Gas of the expansion of memory (Yellow Paper, H.1). */
function memoryPrice({ frame, memoryEnd }: PricedStep): bigint {
  if (memoryEnd > countedBytesMax) throw halts.gasOverflow;
  const size = BigInt(frame.memorySize);
  return memoryEnd > size ? wholeMemoryPrice(memoryEnd / 32n) - wholeMemoryPrice(size / 32n) : 0n;
}

const wholeMemoryPrice = (words: bigint) => 3n * words + (words * words) / 512n;

/** Surcharge of a cold address (EIP-2929). */
function coldPrice(step: PricedStep, index: number): bigint {
  const { rules } = step.machine.message;
  return rules.isBerlin && !step.machine.substate.isWarm(addressAt(step, index).word) ? cold : 0n;
}

function slotOf({ frame, machine }: PricedStep) {
  const { world } = machine.message;
  const { sp } = frame;
  const { integers } = frame;
  const at = frame.popWord(0);
  frame.sp = sp;
  const entry = world.slotEntry(frame.address, integers, at);
  const wordAt = (source: Int32Array) => {
    let word = 0n;
    for (let index = 0; index < wordIntegers; index++)
      word |= BigInt((source[entry * wordIntegers + index] ?? 0) >>> 0) << BigInt(32 * index);
    return word;
  };
  const { slots } = world;
  return { isWarm: slots.isWarm(entry), current: wordAt(slots.values), original: wordAt(slots.originals) };
}

/** Price of SSTORE in all forks. */
function storePrice(step: PricedStep): DynamicPrice {
  const { frame, machine, left } = step;
  const { storage, message } = machine;
  if (frame.isStatic) throw halts.writeProtection;
  if (left <= BigInt(storage.sentry)) throw new Halt('not enough gas for reentrancy sentry');
  const value = item(step, 1);
  const { isWarm, current, original } = slotOf(step);
  const price = (amount: number, refund = 0) => ({
    gas: BigInt(amount + (message.rules.isBerlin && !isWarm ? gas.coldSlot : 0)),
    refund,
  });
  const isCleared = current !== 0n && value === 0n;
  if (!storage.isNetMetered) {
    if (current === 0n && value !== 0n) return price(gas.sstoreSet);
    return price(storage.reset, isCleared ? storage.clearRefund : 0);
  }
  if (current === value) return price(storage.again);
  if (original === current) {
    if (original === 0n) return price(gas.sstoreSet);
    return price(storage.reset, isCleared ? storage.clearRefund : 0);
  }
  let refund = 0;
  if (original !== 0n && current === 0n) refund -= storage.clearRefund;
  else if (original !== 0n && value === 0n) refund += storage.clearRefund;
  if (original === value) refund += (original === 0n ? gas.sstoreSet : storage.reset) - storage.again;
  return price(storage.again, refund);
}

function createPrice(opcode: number, step: PricedStep): bigint {
  const { frame, machine } = step;
  if (frame.isStatic) throw halts.writeProtection;
  const memory = memoryPrice(step);
  const length = item(step, 2);
  const { isShanghai } = machine.message.rules;
  if (isShanghai && length > BigInt(initCodeBytesMax))
    throw new Halt(`max initcode size exceeded: code size ${length} limit ${initCodeBytesMax}`);
  const perWord = (isShanghai ? gas.initCodeWord : 0) + (opcode === op.CREATE2 ? gas.keccakWord : 0);
  return memory + BigInt(perWord) * wordsOf(length);
}

function selfDestructPrice(step: PricedStep): DynamicPrice {
  const { frame, machine, left } = step;
  const { world, rules } = machine.message;
  if (frame.isStatic) throw halts.writeProtection;
  const heir = addressAt(step, 0);
  // Before Berlin the whole price is dynamic; before EIP-150 there is none.
  let price = rules.isBerlin || !rules.isTangerineWhistle ? 0n : BigInt(gas.selfDestruct);
  if (rules.isBerlin && !machine.substate.isWarm(heir.word)) {
    price = BigInt(gas.coldAccountSurcharge + gas.warmAccess);
    if (left < price) throw halts.outOfGas;
  }
  const isNew = machine.isNew(heir.bytes, world.getBalance(frame.address));
  if (rules.isTangerineWhistle && isNew) price += BigInt(gas.newAccount);
  const isFirst = !machine.substate.destroyed.has(frame.addressWord);
  return { gas: price, refund: isFirst ? machine.destroyRefund : 0 };
}

/** Price of CALL, CALLCODE, DELEGATECALL and STATICCALL, including the gas that they pass on. */
function callPrice(opcode: number, step: PricedStep): bigint {
  const { machine, frame } = step;
  const { rules, world } = machine.message;
  const hasValue = (opcode === op.CALL || opcode === op.CALLCODE) && item(step, 2) > 0n;
  const isProtected = opcode === op.CALL && frame.isStatic && hasValue;
  if (rules.isPrague && isProtected) throw halts.writeProtection;
  const access = coldPrice(step, 1);
  if (access > step.left) throw halts.outOfGas;
  const left = step.left - access;
  if (isProtected) throw halts.writeProtection;
  let intrinsic = memoryPrice(step) + (hasValue ? BigInt(gas.callValue) : 0n);
  if (opcode === op.CALL) {
    if (left < intrinsic) throw halts.outOfGas;
    const { bytes } = addressAt(step, 1);
    if (machine.isNew(bytes, item(step, 2))) intrinsic += BigInt(gas.newAccount);
  }
  if (!rules.isPrague) return access + intrinsic + handedOver(step, left, intrinsic);
  if (left < intrinsic) throw halts.outOfGas;
  const delegate = delegationOf(world.getCode(addressAt(step, 1).bytes));
  const isWarm = delegate && (machine.substate.isWarm(wordFromAddress(delegate)) || isSame(delegate, step));
  const delegation = delegate === undefined ? 0n : BigInt(gas.warmAccess) + (isWarm ? 0n : cold);
  if (left - intrinsic < delegation) throw halts.outOfGas;
  return access + intrinsic + delegation + handedOver(step, left - intrinsic - delegation, 0n);
}

/** A delegation to the target itself is warm, since the call has accessed the target. */
const isSame = (delegate: Uint8Array, step: PricedStep) => wordFromAddress(delegate) === addressAt(step, 1).word;

/** Gas that a call passes on: the requested gas, at most all but a 64th of the remaining gas (EIP-150). */
function handedOver(step: PricedStep, left: bigint, intrinsic: bigint): bigint {
  const asked = item(step, 0);
  if (step.machine.message.rules.isTangerineWhistle) {
    // 64-bit arithmetic as in geth: the remaining gas may not cover the rest of the price.
    const rest = BigInt.asUintN(64, left - intrinsic);
    const most = rest - rest / 64n;
    if (asked > uint64Max || most < asked) return withinCount(intrinsic, most);
  }
  if (asked > uint64Max) throw halts.gasOverflow;
  return withinCount(intrinsic, asked);
}

function withinCount(intrinsic: bigint, given: bigint): bigint {
  if (intrinsic + given > uint64Max) throw halts.gasOverflow;
  return given;
}

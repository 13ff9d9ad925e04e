import { BytesLog, keccak256 } from '@cairn/block-model';
import { op, opcodeName } from '@cairn/evm-compiler/opcodes';
import { wordFromAddress } from '../state/addresses.ts';
import { isSame, isZero, putBigEndian, wordIntegers } from '../state/slot-table.ts';
import { callOpcode, createOpcode } from './call-opcodes.ts';
import { Slab } from './copies.ts';
import type { Frame } from './frame.ts';
import { gas } from './gas.ts';
import { halts } from './halt.ts';
import type { Machine } from './machine.ts';
import { paddedSlice, readWord, wordFromBytes } from './words.ts';

/** Logs live until the message ends. Between the inputs and outputs of calls, each would keep a whole slab alive. */
const logBytes = new Slab();
const coldAccount = gas.coldAccountSurcharge + gas.warmAccess;
const wordsOf = (length: number) => Math.ceil(length / 32);

/**
 * Runs an opcode that needs the message, the block, other accounts, storage or memory copies, or that opens or ends a frame.
 * @returns whether the frame has ended @throws Halt
 */
export function runHostOpcode(opcode: number, frame: Frame, machine: Machine): boolean {
  switch (opcode) {
    case op.KECCAK256:
      keccak(frame);
      return false;
    case op.CALLDATACOPY:
      copyTo(frame, frame.data);
      return false;
    case op.CODECOPY:
      copyTo(frame, frame.analysis.code);
      return false;
    case op.EXTCODECOPY:
      copyTo(frame, codeOf(frame, machine));
      return false;
    case op.RETURNDATACOPY:
      copyReturnData(frame);
      return false;
    case op.MSTORE8: {
      const at = frame.range(frame.popNumber(), 1);
      frame.writeMemory(at, Uint8Array.of(Number(frame.pop() & 0xffn)));
      return false;
    }
    case op.SLOAD:
      load(frame, machine);
      return false;
    case op.SSTORE:
      store(frame, machine);
      return false;
    case op.TLOAD:
      frame.push(machine.substate.transient(frame.addressWord, frame.pop()));
      return false;
    case op.TSTORE: {
      if (frame.isStatic) throw halts.writeProtection;
      const slot = frame.pop();
      machine.substate.setTransient(frame.addressWord, slot, frame.pop());
      return false;
    }
    case op.MCOPY:
      copyWithin(frame);
      return false;
    case op.LOG0:
    case op.LOG1:
    case op.LOG2:
    case op.LOG3:
    case op.LOG4:
      log(opcode - op.LOG0, frame, machine);
      return false;
    case op.CREATE:
    case op.CREATE2:
      createOpcode(opcode, frame, machine);
      return false;
    case op.CALL:
    case op.CALLCODE:
    case op.DELEGATECALL:
    case op.STATICCALL:
      callOpcode(opcode, frame, machine);
      return false;
    case op.RETURN:
    case op.REVERT: {
      const at = frame.popNumber();
      const length = frame.popNumber();
      frame.output = frame.copyOutput(frame.range(at, length), length);
      frame.isReverted = opcode === op.REVERT;
      return true;
    }
    case op.SELFDESTRUCT:
      selfDestruct(frame, machine);
      return true;
    default:
      frame.push(read(opcode, frame, machine));
      return false;
  }
}

/** Opcodes that push one word. */
function read(opcode: number, frame: Frame, machine: Machine): bigint {
  const { message } = machine;
  const { block } = message;
  switch (opcode) {
    case op.ADDRESS:
      return frame.addressWord;
    case op.BALANCE: {
      const address = frame.popAddress();
      machine.chargeAccess(frame, address);
      return message.world.getBalance(address.bytes);
    }
    case op.ORIGIN:
      return wordFromAddress(message.sender);
    case op.CALLER:
      return wordFromAddress(frame.caller);
    case op.CALLVALUE:
      return frame.value;
    case op.CALLDATALOAD: {
      return readWord(frame.data, frame.popNumber());
    }
    case op.CALLDATASIZE:
      return BigInt(frame.data.length);
    case op.CODESIZE:
      return BigInt(frame.analysis.code.length);
    case op.GASPRICE:
      return message.gasPrice;
    case op.EXTCODESIZE:
      return BigInt(codeOf(frame, machine).length);
    case op.RETURNDATASIZE:
      return BigInt(frame.returnData.length);
    case op.EXTCODEHASH:
      return codeHash(frame, machine);
    case op.BLOCKHASH:
      return blockHash(frame.pop(), machine);
    case op.COINBASE:
      return BigInt(block.coinbase);
    case op.TIMESTAMP:
      return block.timestamp;
    case op.NUMBER:
      return block.number;
    case op.DIFFICULTY: // PREVRANDAO, DIFFICULTY before the merge
      return machine.isMerged ? BigInt(block.prevRandao) : block.difficulty;
    case op.GASLIMIT:
      return block.gasLimit;
    case op.CHAINID:
      return message.rules.chainId;
    case op.SELFBALANCE:
      return message.world.getBalance(frame.address);
    case op.BASEFEE:
      return block.baseFeePerGas ?? 0n;
    case op.BLOBHASH: {
      const index = frame.pop();
      const hash = index < 65_536n ? message.blobVersionedHashes[Number(index)] : undefined;
      return hash === undefined ? 0n : BigInt(hash);
    }
    case op.BLOBBASEFEE:
      return block.blobBaseFee ?? 0n;
    case op.MSIZE:
      return BigInt(frame.memorySize);
    default:
      throw new Error(`The opcode table lists ${opcodeName(opcode)}, but host-opcodes.ts has no case for it.`);
  }
}

function keccak(frame: Frame): void {
  const at = frame.popNumber();
  const length = frame.popNumber();
  const start = frame.range(at, length);
  frame.charge(gas.keccakWord * wordsOf(length));
  frame.push(wordFromBytes(keccak256(frame.memory.subarray(start, start + length))));
}

/** Copies `source` to memory: destination, offset and length are on the stack. Bytes beyond the source are zeros. */
function copyTo(frame: Frame, source: Uint8Array): void {
  const to = frame.popNumber();
  const from = frame.popNumber();
  const length = frame.popNumber();
  const start = frame.range(to, length);
  frame.charge(gas.copyWord * wordsOf(length));
  if (length > 0) frame.writeMemory(start, paddedSlice(source, from, length));
}

function copyReturnData(frame: Frame): void {
  const to = frame.popNumber();
  const from = frame.popNumber();
  const length = frame.popNumber();
  const start = frame.range(to, length);
  frame.charge(gas.copyWord * wordsOf(length));
  if (from + length > frame.returnData.length) throw halts.returnDataOutOfBounds;
  if (length > 0) frame.writeMemory(start, frame.returnData.subarray(from, from + length));
}

function copyWithin(frame: Frame): void {
  const to = frame.popNumber();
  const from = frame.popNumber();
  const length = frame.popNumber();
  frame.range(to, length);
  frame.range(from, length);
  frame.charge(gas.copyWord * wordsOf(length));
  if (length > 0) frame.memory.copyWithin(to, from, from + length);
}

function codeOf(frame: Frame, machine: Machine): Uint8Array {
  const address = frame.popAddress();
  machine.chargeAccess(frame, address);
  return machine.message.world.getCode(address.bytes);
}

/** EXTCODEHASH: 0 for accounts that do not exist or are empty (EIP-1052). */
function codeHash(frame: Frame, machine: Machine): bigint {
  const address = frame.popAddress();
  machine.chargeAccess(frame, address);
  if (machine.isEmpty(address.bytes)) return 0n;
  const account = machine.message.world.getAccount(address.bytes);
  return account === undefined ? 0n : wordFromBytes(account.codeHash);
}

/** BLOCKHASH: 0 unless the block is one of the 256 before this one. */
function blockHash(number: bigint, { message }: Machine): bigint {
  const { block } = message;
  if (number >= block.number || number + 256n < block.number) return 0n;
  const hash = message.blockHash(number);
  return hash === undefined ? 0n : BigInt(hash);
}

function load(frame: Frame, { message: { world, rules } }: Machine): void {
  const entry = world.slotEntry(frame.address, frame.integers, frame.popWord(0));
  if (rules.isBerlin) frame.charge(world.slots.accessWasCold(entry) ? gas.coldSlot : gas.warmAccess);
  frame.pushWord(world.slots.values, entry * wordIntegers);
}

/** SSTORE in all forks: see {@link StoragePrices}. */
function store(frame: Frame, { substate, message: { world, rules }, storage }: Machine): void {
  if (frame.isStatic) throw halts.pricedWriteProtection;
  if (frame.gas <= storage.sentry) throw halts.sentry;
  const slot = frame.popWord(0);
  const { integers } = frame;
  const value = frame.popWord(1);
  const entry = world.slotEntry(frame.address, integers, slot);
  const { slots } = world;
  const at = entry * wordIntegers;
  if (rules.isBerlin && slots.accessWasCold(entry)) frame.charge(gas.coldSlot);
  const isCleared = !isZero(slots.values, at) && isZero(integers, value);
  if (!storage.isNetMetered) {
    frame.charge(isZero(slots.values, at) && !isZero(integers, value) ? gas.sstoreSet : storage.reset);
    if (isCleared) substate.refund += storage.clearRefund;
  } else if (isSame(slots.values, at, integers, value)) {
    frame.charge(storage.again);
    return;
  } else {
    const wasZero = isZero(slots.originals, at);
    if (isSame(slots.originals, at, slots.values, at)) {
      frame.charge(wasZero ? gas.sstoreSet : storage.reset);
      if (isCleared) substate.refund += storage.clearRefund;
    } else {
      frame.charge(storage.again);
      if (!wasZero && isZero(slots.values, at)) substate.refund -= storage.clearRefund;
      else if (!wasZero && isCleared) substate.refund += storage.clearRefund;
      if (isSame(slots.originals, at, integers, value))
        substate.refund += (wasZero ? gas.sstoreSet : storage.reset) - storage.again;
    }
  }
  world.writeSlot(frame.address, entry, integers, value);
}

function log(topicCount: number, frame: Frame, machine: Machine): void {
  const at = frame.popNumber();
  const length = frame.popNumber();
  const start = frame.range(at, length);
  frame.charge(gas.logByte * length);
  if (frame.isStatic) throw halts.writeProtection;
  const dataAt = topicCount * 32;
  const bytes = logBytes.take(dataAt + length);
  for (let topicAt = 0; topicAt < dataAt; topicAt += 32) putBigEndian(bytes, topicAt, frame.integers, frame.popWord(0));
  frame.readMemory(start, length, bytes, dataAt);
  machine.substate.log(new BytesLog(frame.address, topicCount, bytes));
}

/** SELFDESTRUCT (EIP-161, EIP-2929, EIP-3529, EIP-6780). */
function selfDestruct(frame: Frame, machine: Machine): void {
  if (frame.isStatic) throw halts.pricedWriteProtection;
  const { substate, message } = machine;
  const { world, rules } = message;
  const { word: heir, bytes: heirBytes } = frame.popAddress();
  if (rules.isBerlin && substate.accessWasCold(heir)) {
    if (frame.gas < coldAccount) throw halts.pricedOutOfGas;
    frame.charge(coldAccount);
  }
  const balance = world.getBalance(frame.address);
  if (rules.isTangerineWhistle && machine.isNew(heirBytes, balance)) frame.charge(gas.newAccount);
  const self = frame.addressWord;
  const goes = !rules.isCancun || substate.created.has(self);
  substate.touch(heir);
  if (!rules.isSpuriousDragon && world.getAccount(heirBytes) === undefined) world.updateAccount(heirBytes, {});
  if (self !== heir) {
    world.updateAccount(frame.address, { balance: 0n });
    if (balance > 0n)
      world.updateAccount(heirBytes, { balance: BigInt.asUintN(256, world.getBalance(heirBytes) + balance) });
  } else if (goes) world.updateAccount(frame.address, { balance: 0n });
  if (goes && substate.destroy(self)) substate.refund += machine.destroyRefund;
}

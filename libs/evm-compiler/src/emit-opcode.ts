import { bitwise, compare, equal, exponentiate, helper, leadingZeros, not, shift } from './arithmetic-opcodes.ts';
import { gasLocal, local } from './emitter.ts';
import { fold } from './fold.ts';
import { header, region } from './layout.ts';
import { hashMemory, readMemoryWord, writeMemoryByte, writeMemoryWord } from './memory-opcodes.ts';
import { op, opcodeName } from './opcodes/index.ts';
import type { Place } from './place.ts';
import { readReversed } from './words-in-memory.ts';

const word =
  (name: Parameters<typeof helper>[0], operands = 2) =>
  (place: Place) =>
    helper(name, place, operands);

/** Opcodes of the kinds `inline` and `end`, other than jumps, STOP, PUSH1 to PUSH32, DUP and SWAP. */
const emitters: Readonly<Record<number, (place: Place) => void>> = {
  [op.ADD]: ({ stack }) => stack.sum(stack.pop(), stack.pop(), false),
  [op.MUL]: word('multiply'),
  [op.SUB]: ({ stack }) => stack.sum(stack.pop(), stack.pop(), true),
  [op.DIV]: word('div'),
  [op.SDIV]: word('sdiv'),
  [op.MOD]: word('mod'),
  [op.SMOD]: word('smod'),
  [op.ADDMOD]: word('addmod', 3),
  [op.MULMOD]: word('mulmod', 3),
  [op.EXP]: exponentiate,
  [op.SIGNEXTEND]: word('signextend'),
  [op.LT]: (place) => compare(place, 'top', 'i64LtU'),
  [op.GT]: (place) => compare(place, 'second', 'i64LtU'),
  [op.SLT]: (place) => compare(place, 'top', 'i64LtS'),
  [op.SGT]: (place) => compare(place, 'second', 'i64LtS'),
  [op.EQ]: equal,
  [op.ISZERO]: isZero,
  [op.AND]: (place) => bitwise(place, 'i64And'),
  [op.OR]: (place) => bitwise(place, 'i64Or'),
  [op.XOR]: (place) => bitwise(place, 'i64Xor'),
  [op.NOT]: not,
  [op.BYTE]: word('byte'),
  [op.SHL]: (place) => shift(place, 'shl'),
  [op.SHR]: (place) => shift(place, 'shr'),
  [op.SAR]: (place) => shift(place, 'sar'),
  [op.CLZ]: leadingZeros,
  [op.KECCAK256]: hashMemory,
  [op.ADDRESS]: (place) => frameWord(place, region.address),
  [op.CALLER]: (place) => frameWord(place, region.caller),
  [op.CALLVALUE]: (place) => frameWord(place, region.value),
  [op.CALLDATALOAD]: callData,
  [op.CALLDATASIZE]: (place) => headerWord(place, header.dataSize),
  [op.CODESIZE]: ({ stack, code }) => stack.push({ kind: 'constant', value: BigInt(code.length) }),
  [op.RETURNDATASIZE]: (place) => headerWord(place, header.returnDataSize),
  [op.POP]: ({ stack }) => {
    stack.pop();
  },
  [op.MLOAD]: readMemoryWord,
  [op.MSTORE]: writeMemoryWord,
  [op.MSTORE8]: writeMemoryByte,
  [op.PC]: ({ stack, pc }) => stack.push({ kind: 'constant', value: BigInt(pc) }),
  [op.MSIZE]: (place) => {
    place.emitter.localGet(local.size);
    pushInteger(place);
  },
  [op.GAS]: ({ emitter, stack }) => {
    emitter.localGet(gasLocal);
    for (let limb = 1; limb < 4; limb++) emitter.i64Const(0n);
    stack.pushLimbs();
  },
  [op.JUMPDEST]: () => undefined,
  [op.PUSH0]: ({ stack }) => stack.push({ kind: 'constant', value: 0n }),
};

/** Writes one opcode that neither jumps nor leaves the code. */
export function emitOpcode(opcode: number, place: Place): void {
  if (fold(opcode, place.stack)) return;
  const emit = emitters[opcode];
  if (emit === undefined)
    throw new Error(
      `The opcode table lists ${opcodeName(opcode)} as compiled, but emit-opcode.ts has no function for it.`,
    );
  emit(place);
}

function isZero({ emitter, stack }: Place): void {
  stack.truth(stack.pop());
  emitter.i32Eqz();
  stack.pushFlag();
}

/** Pushes the i32 on the machine's stack as a word. */
function pushInteger({ emitter, stack }: Place): void {
  emitter.i64ExtendI32U();
  for (let limb = 1; limb < 4; limb++) emitter.i64Const(0n);
  stack.pushLimbs();
}

function headerWord(place: Place, offset: number): void {
  place.emitter.i32Const(0);
  place.emitter.i32Load(offset);
  pushInteger(place);
}

/** A word that does not change while the frame runs. */
function frameWord({ emitter, stack }: Place, offset: number): void {
  for (let limb = 0; limb < 4; limb++) {
    emitter.localGet(local.base);
    emitter.i64Load(offset + 8 * limb);
  }
  stack.pushLimbs();
}

/** CALLDATALOAD. Zeros follow the input in memory, so an offset beyond the input is read as its end. */
function callData({ emitter, stack }: Place): void {
  const offset = stack.pop();
  stack.load(offset);
  const size = () => {
    emitter.i32Const(0);
    emitter.i32Load(header.dataSize);
  };
  stack.limb(offset, 0);
  emitter.i32WrapI64();
  size();
  // The offset counts where no high limb is set and the low one is not beyond the size.
  stack.limb(offset, 0);
  size();
  emitter.i64ExtendI32U();
  emitter.i64LeU();
  stack.highLimbs(offset);
  emitter.i64Eqz();
  emitter.i32And();
  emitter.select();
  emitter.i32Const(0);
  emitter.i32Load(header.dataBase);
  emitter.i32Add();
  emitter.localSet(local.at);
  readReversed(emitter, 0);
  stack.pushLimbs();
}

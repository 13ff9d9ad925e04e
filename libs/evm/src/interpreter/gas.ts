import { type OpcodeFigures, type OpcodeFork, opcodeFigures, opcodeForks } from '@cairn/evm-compiler/opcodes';
import type { ForkRules } from '../forks/fork-rules.ts';

/** Gas prices that apply to all forks, or from Berlin on (EIP-2929, Yellow Paper appendix G). */
export const gas = {
  warmAccess: 100,
  coldAccountSurcharge: 2500,
  coldSlot: 2100,
  keccakWord: 6,
  copyWord: 3,
  log: 375,
  logTopic: 375,
  logByte: 8,
  initCodeWord: 2,
  codeByte: 200,
  callValue: 9000,
  callStipend: 2300,
  newAccount: 25_000,
  selfDestruct: 5000,
  sstoreSet: 20_000,
} as const;

/** Prices and refunds of SSTORE (EIP-1283, EIP-2200, EIP-2929, EIP-3529). */
export interface StoragePrices {
  /** True: the price depends on the value at the start of the message. False: on the current value. */
  readonly isNetMetered: boolean;
  /** SSTORE fails with this much gas or less. */
  readonly sentry: number;
  /** Price if the slot has the value already, or was changed before in the transaction. */
  readonly again: number;
  /** Price of a change to a slot that was not zero. */
  readonly reset: number;
  /** Refund for a cleared slot. */
  readonly clearRefund: number;
}

export function storagePrices({ isBerlin, isIstanbul, isLondon, isStorageNetMetered }: ForkRules): StoragePrices {
  return {
    isNetMetered: isStorageNetMetered,
    sentry: isIstanbul ? 2300 : -1,
    again: isBerlin ? 100 : isIstanbul ? 800 : 200,
    reset: isBerlin ? 2900 : 5000,
    clearRefund: isLondon ? 4800 : 15_000,
  };
}

/** Limits of init code (EIP-3860) and code (EIP-170). */
export const initCodeBytesMax = 49_152;
export const codeBytesMax = 24_576;

/** Opcodes of a fork, in arrays indexed by code. See {@link OpcodeFigures}. */
export interface OpcodeTable extends OpcodeFigures {
  readonly cost: Int32Array;
  readonly pops: Uint8Array;
  readonly pushes: Uint8Array;
  /** Words that may be on the stack at most. */
  readonly roomUntil: Uint16Array;
}

const stackMax = 1024;
const tables = new WeakMap<ForkRules, OpcodeTable>();

/** Cached table of a fork. */
export function opcodeTable(rules: ForkRules): OpcodeTable {
  let table = tables.get(rules);
  if (table === undefined) {
    table = makeTable(rules);
    tables.set(rules, table);
  }
  return table;
}

function makeTable(rules: ForkRules): OpcodeTable {
  const figures = opcodeFigures(opcodeFork(rules));
  const { pops, pushes } = figures;
  const roomUntil = Uint16Array.from(pops, (count, code) => stackMax - Math.max(0, (pushes[code] ?? 0) - count));
  return { ...figures, roomUntil };
}

const isIncluded: Readonly<Record<OpcodeFork, (rules: ForkRules) => boolean>> = {
  frontier: () => true,
  homestead: ({ isHomestead }) => isHomestead,
  tangerineWhistle: ({ isTangerineWhistle }) => isTangerineWhistle,
  spuriousDragon: ({ isSpuriousDragon }) => isSpuriousDragon,
  byzantium: ({ isByzantium }) => isByzantium,
  constantinople: ({ isConstantinople }) => isConstantinople,
  istanbul: ({ isIstanbul }) => isIstanbul,
  berlin: ({ isBerlin }) => isBerlin,
  london: ({ isLondon }) => isLondon,
  shanghai: ({ isShanghai }) => isShanghai,
  cancun: ({ isCancun }) => isCancun,
  osaka: ({ isOsaka }) => isOsaka,
};

function opcodeFork(rules: ForkRules): OpcodeFork {
  return opcodeForks.filter((fork) => isIncluded[fork](rules)).at(-1) ?? 'frontier';
}

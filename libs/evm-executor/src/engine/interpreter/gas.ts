import type { ForkRules } from '../../fork-rules.ts';

/** Prices that all forks have, or those from Berlin on (EIP-2929, Yellow Paper appendix G), in gas. */
export const gas = {
  warmAccess: 100,
  coldAccountSurcharge: 2500,
  coldSlot: 2100,
  keccakWord: 6,
  copyWord: 3,
  log: 375,
  logTopic: 375,
  logByte: 8,
  create: 32_000,
  initCodeWord: 2,
  codeByte: 200,
  callValue: 9000,
  callStipend: 2300,
  newAccount: 25_000,
  selfDestruct: 5000,
  sstoreSet: 20_000,
} as const;

/** What SSTORE costs and gives back (EIP-2200 and those before and after it). */
export interface StoragePrices {
  /** By what was there when the message began; else by what is there now. */
  readonly isNetMetered: boolean;
  /** With as little gas left or less it fails. */
  readonly sentry: number;
  /** Of a slot that holds the value already, or has been changed before. */
  readonly again: number;
  /** Of a slot that held something. */
  readonly reset: number;
  /** Given back for a slot that is cleared. */
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

/** EIP-3860 and EIP-170. */
export const initCodeBytesMax = 49_152;
export const codeBytesMax = 24_576;

/** What opcodes need and cost before what depends on their operands. */
export interface OpcodeTable {
  /** Gas; -1 where the fork has no such opcode. */
  readonly cost: Int32Array;
  /** Items that must be on the stack. */
  readonly needed: Uint8Array;
  /** Items that it leaves in the place of those. */
  readonly given: Uint8Array;
  /** Items that may be on the stack at most. */
  readonly roomUntil: Uint16Array;
  /** EXP, for each byte of the exponent (EIP-160). */
  readonly expByte: number;
}

const stackMax = 1024;
const tables = new WeakMap<ForkRules, OpcodeTable>();

/** The table of a fork. */
export function opcodeTable(rules: ForkRules): OpcodeTable {
  let table = tables.get(rules);
  if (table === undefined) {
    table = makeTable(rules);
    tables.set(rules, table);
  }
  return table;
}

function makeTable(rules: ForkRules): OpcodeTable {
  const table = {
    cost: new Int32Array(256).fill(-1),
    needed: new Uint8Array(256),
    given: new Uint8Array(256),
    roomUntil: new Uint16Array(256),
    expByte: rules.isSpuriousDragon ? 50 : 10,
  };
  const set = (first: number, last: number, cost: number, takes: number, gives: number) => {
    for (let opcode = first; opcode <= last; opcode++) {
      table.cost[opcode] = cost;
      table.needed[opcode] = takes;
      table.given[opcode] = gives;
      table.roomUntil[opcode] = stackMax - Math.max(0, gives - takes);
    }
  };
  for (const [first, last, cost, takes, gives] of everywhere) set(first, last, cost, takes, gives);
  for (let n = 1; n <= 16; n++) {
    set(0x7f + n, 0x7f + n, 3, n, n + 1); // DUPn
    set(0x8f + n, 0x8f + n, 3, n + 1, n + 1); // SWAPn
  }
  for (let n = 0; n <= 4; n++) set(0xa0 + n, 0xa0 + n, gas.log + n * gas.logTopic, n + 2, 0);
  if (!rules.isBerlin) makeOlder(table, rules);
  if (rules.isLondon) set(0x48, 0x48, 2, 0, 1); // BASEFEE
  if (rules.isShanghai) set(0x5f, 0x5f, 2, 0, 1); // PUSH0
  if (rules.isCancun) {
    set(0x49, 0x49, 3, 1, 1); // BLOBHASH
    set(0x4a, 0x4a, 2, 0, 1); // BLOBBASEFEE
    set(0x5c, 0x5c, gas.warmAccess, 1, 1); // TLOAD
    set(0x5d, 0x5d, gas.warmAccess, 2, 0); // TSTORE
    set(0x5e, 0x5e, 3, 3, 0); // MCOPY
  }
  if (rules.isOsaka) set(0x1e, 0x1e, 5, 1, 1); // CLZ
  return table;
}

/** What was dearer and cheaper before Berlin, and what was not yet: EIP-7, 140, 145, 150, 211, 214, 1014, 1052, 1344, 1884. */
function makeOlder({ cost }: OpcodeTable, rules: ForkRules): void {
  const { isTangerineWhistle, isIstanbul } = rules;
  const price = (opcodes: readonly number[], gas: number) => {
    for (const opcode of opcodes) cost[opcode] = gas;
  };
  price([0x31], isIstanbul ? 700 : isTangerineWhistle ? 400 : 20); // BALANCE
  price([0x3b, 0x3c], isTangerineWhistle ? 700 : 20); // EXTCODESIZE, EXTCODECOPY
  price([0x3f], isIstanbul ? 700 : 400); // EXTCODEHASH
  price([0x54], isIstanbul ? 800 : isTangerineWhistle ? 200 : 50); // SLOAD
  price([0xf1, 0xf2, 0xf4, 0xfa], isTangerineWhistle ? 700 : 40); // CALL, CALLCODE, DELEGATECALL, STATICCALL
  price([0xff], isTangerineWhistle ? gas.selfDestruct : 0);
  const unknown = -1;
  if (!rules.isHomestead) price([0xf4], unknown);
  if (!rules.isByzantium) price([0x3d, 0x3e, 0xfa, 0xfd], unknown);
  if (!rules.isConstantinople) price([0x1b, 0x1c, 0x1d, 0x3f, 0xf5], unknown);
  if (!isIstanbul) price([0x46, 0x47], unknown);
}

/** First and last opcode, gas, items taken, items given. */
const everywhere: readonly (readonly [number, number, number, number, number])[] = [
  [0x00, 0x00, 0, 0, 0], // STOP
  [0x01, 0x01, 3, 2, 1], // ADD
  [0x02, 0x02, 5, 2, 1], // MUL
  [0x03, 0x03, 3, 2, 1], // SUB
  [0x04, 0x07, 5, 2, 1], // DIV to SMOD
  [0x08, 0x09, 8, 3, 1], // ADDMOD, MULMOD
  [0x0a, 0x0a, 10, 2, 1], // EXP
  [0x0b, 0x0b, 5, 2, 1], // SIGNEXTEND
  [0x10, 0x14, 3, 2, 1], // LT to EQ
  [0x15, 0x15, 3, 1, 1], // ISZERO
  [0x16, 0x18, 3, 2, 1], // AND to XOR
  [0x19, 0x19, 3, 1, 1], // NOT
  [0x1a, 0x1d, 3, 2, 1], // BYTE to SAR
  [0x20, 0x20, 30, 2, 1], // KECCAK256
  [0x30, 0x30, 2, 0, 1], // ADDRESS
  [0x31, 0x31, gas.warmAccess, 1, 1], // BALANCE
  [0x32, 0x34, 2, 0, 1], // ORIGIN to CALLVALUE
  [0x35, 0x35, 3, 1, 1], // CALLDATALOAD
  [0x36, 0x36, 2, 0, 1], // CALLDATASIZE
  [0x37, 0x37, 3, 3, 0], // CALLDATACOPY
  [0x38, 0x38, 2, 0, 1], // CODESIZE
  [0x39, 0x39, 3, 3, 0], // CODECOPY
  [0x3a, 0x3a, 2, 0, 1], // GASPRICE
  [0x3b, 0x3b, gas.warmAccess, 1, 1], // EXTCODESIZE
  [0x3c, 0x3c, gas.warmAccess, 4, 0], // EXTCODECOPY
  [0x3d, 0x3d, 2, 0, 1], // RETURNDATASIZE
  [0x3e, 0x3e, 3, 3, 0], // RETURNDATACOPY
  [0x3f, 0x3f, gas.warmAccess, 1, 1], // EXTCODEHASH
  [0x40, 0x40, 20, 1, 1], // BLOCKHASH
  [0x41, 0x46, 2, 0, 1], // COINBASE to CHAINID
  [0x47, 0x47, 5, 0, 1], // SELFBALANCE
  [0x50, 0x50, 2, 1, 0], // POP
  [0x51, 0x51, 3, 1, 1], // MLOAD
  [0x52, 0x53, 3, 2, 0], // MSTORE, MSTORE8
  [0x54, 0x54, 0, 1, 1], // SLOAD
  [0x55, 0x55, 0, 2, 0], // SSTORE
  [0x56, 0x56, 8, 1, 0], // JUMP
  [0x57, 0x57, 10, 2, 0], // JUMPI
  [0x58, 0x5a, 2, 0, 1], // PC, MSIZE, GAS
  [0x5b, 0x5b, 1, 0, 0], // JUMPDEST
  [0x60, 0x7f, 3, 0, 1], // PUSH1 to PUSH32
  [0xf0, 0xf0, gas.create, 3, 1], // CREATE
  [0xf1, 0xf2, gas.warmAccess, 7, 1], // CALL, CALLCODE
  [0xf3, 0xf3, 0, 2, 0], // RETURN
  [0xf4, 0xf4, gas.warmAccess, 6, 1], // DELEGATECALL
  [0xf5, 0xf5, gas.create, 4, 1], // CREATE2
  [0xfa, 0xfa, gas.warmAccess, 6, 1], // STATICCALL
  [0xfd, 0xfd, 0, 2, 0], // REVERT
  [0xff, 0xff, gas.selfDestruct, 1, 0], // SELFDESTRUCT
];

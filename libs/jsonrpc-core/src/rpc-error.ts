import { CairnError } from '@cairn/errors';

/** One code of the catalogue: what it means and what the caller can do. */
export interface RpcErrorEntry {
  readonly code: number;
  readonly meaning: string;
  readonly remedy: string;
}

/** Every error code that leaves a Cairn gateway (JSON-RPC 2.0, section 5.1; EIP-1474; geth's code 3). */
export const rpcErrors = {
  parse: { code: -32700, meaning: 'The body is not JSON.', remedy: 'Send valid JSON in UTF-8.' },
  request: {
    code: -32600,
    meaning: 'The JSON is not a JSON-RPC 2.0 request.',
    remedy: 'Send {"jsonrpc":"2.0","id":1,"method":"…","params":[…]}, or a list of such objects.',
  },
  method: {
    code: -32601,
    meaning: 'There is no such method.',
    remedy: 'Check its name; this gateway reads chains and sends no transactions.',
  },
  params: {
    code: -32602,
    meaning: 'A parameter is missing or has the wrong form.',
    remedy: 'The message names the parameter and what it takes.',
  },
  internal: {
    code: -32603,
    meaning: 'The gateway failed.',
    remedy: 'Try again; tell the operator the reference in the message.',
  },
  server: {
    code: -32000,
    meaning: 'The request is right, but it cannot be answered: execution failed, or the block is unknown.',
    remedy: 'The message says which.',
  },
  notFound: { code: -32001, meaning: 'The resource is not here.', remedy: 'Check key, host name and network.' },
  forbidden: {
    code: -32004,
    meaning: 'The API key is not open for this.',
    remedy: 'The message says for what; use another key, or have its limits changed.',
  },
  unavailable: { code: -32002, meaning: 'The network is not ready.', remedy: 'Wait until its import is done.' },
  limit: {
    code: -32005,
    meaning: 'A limit is reached.',
    remedy: 'Ask for less, or again later; the data names the limit.',
  },
  nonceTooLow: {
    code: -38010,
    meaning: 'The nonce of a simulated transaction has been used.',
    remedy: 'Leave the nonce out, or give that of the sender.',
  },
  nonceTooHigh: {
    code: -38011,
    meaning: 'The nonce of a simulated transaction is beyond that of its sender.',
    remedy: 'Leave the nonce out, or give that of the sender.',
  },
  baseFeeTooLow: {
    code: -38012,
    meaning: 'A simulated transaction offers less than the base fee.',
    remedy: 'Raise maxFeePerGas, or simulate without validation.',
  },
  intrinsicGas: {
    code: -38013,
    meaning: 'A simulated transaction has less gas than it costs before any code runs.',
    remedy: 'Give it more gas; the message says how much.',
  },
  insufficientFunds: {
    code: -38014,
    meaning: 'The sender of a simulated transaction cannot pay for gas and value.',
    remedy: 'Override its balance, or lower value and fees.',
  },
  blockGasLimit: {
    code: -38015,
    meaning: 'The transactions of a simulated block need more gas than the block has.',
    remedy: 'Override the gas limit of the block, or use more blocks.',
  },
  blockNumberOrder: {
    code: -38020,
    meaning: 'Numbers of simulated blocks do not rise.',
    remedy: 'Leave them out, or let them rise.',
  },
  blockTimeOrder: {
    code: -38021,
    meaning: 'Times of simulated blocks do not rise.',
    remedy: 'Leave them out, or let them rise.',
  },
  initCodeTooLarge: {
    code: -38025,
    meaning: 'A simulated creation has more init code than EIP-3860 allows.',
    remedy: 'Deploy the contract in parts.',
  },
  tooManyBlocks: {
    code: -38026,
    meaning: 'A simulation has too many blocks, gaps between given numbers included, or a request too many slots.',
    remedy: 'Simulate 256 blocks and ask for 1,024 slots at most.',
  },
  reverted: {
    code: 3,
    meaning: 'The contract reverted.',
    remedy: 'The message has its reason, the data its raw bytes.',
  },
} as const satisfies Record<string, RpcErrorEntry>;

export type RpcErrorName = keyof typeof rpcErrors;

/** An error that is told to the caller as it is. */
export class RpcError extends CairnError<'RPC_ERROR'> {
  readonly rpcCode: number;
  readonly data: unknown;

  constructor(name: RpcErrorName, message: string, data?: unknown) {
    super('RPC_ERROR', message);
    this.rpcCode = rpcErrors[name].code;
    this.data = data;
  }
}

import { CairnError } from '@cairn/errors';

/** One error code: meaning and remedy. */
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
    meaning: 'The method does not exist.',
    remedy: 'Check the name. Only networks with upstreams can send transactions.',
  },
  params: {
    code: -32602,
    meaning: 'A parameter is missing or has the wrong form.',
    remedy: 'The message names the parameter and the expected form.',
  },
  internal: {
    code: -32603,
    meaning: 'The gateway failed.',
    remedy: 'Try again; report the reference in the message to the operator.',
  },
  server: {
    code: -32000,
    meaning: 'The request is valid but cannot be answered: execution failed, or the block is unknown.',
    remedy: 'The message gives the reason.',
  },
  notFound: { code: -32001, meaning: 'The resource does not exist.', remedy: 'Check key, host name and network.' },
  forbidden: {
    code: -32004,
    meaning: 'The API key does not allow this.',
    remedy: 'The message names the limit; use another key, or change the limits of this one.',
  },
  unavailable: {
    code: -32002,
    meaning: 'The network is not ready.',
    remedy: 'Retry in a few seconds: an import has not finished, or no upstream answers.',
  },
  limit: {
    code: -32005,
    meaning: 'A limit is reached.',
    remedy: 'Send a smaller request, or retry later; the data names the limit.',
  },
  sendUncertain: {
    code: -32010,
    meaning: 'The outcome of a sent transaction is unknown: it may still be mined.',
    remedy: 'Look up the hash in the data, or send the same bytes again: the same transaction is mined once.',
  },
  syncTimeout: {
    code: 4,
    meaning: 'A sent transaction was not mined within the time limit of eth_sendRawTransactionSync.',
    remedy: 'Wait for its receipt: the data is its hash.',
  },
  nonceTooLow: {
    code: -38010,
    meaning: 'The nonce of a simulated transaction is already used.',
    remedy: 'Omit the nonce, or use that of the sender.',
  },
  nonceTooHigh: {
    code: -38011,
    meaning: 'The nonce of a simulated transaction is higher than that of its sender.',
    remedy: 'Omit the nonce, or use that of the sender.',
  },
  baseFeeTooLow: {
    code: -38012,
    meaning: 'A simulated transaction offers less than the base fee.',
    remedy: 'Raise maxFeePerGas, or simulate without validation.',
  },
  intrinsicGas: {
    code: -38013,
    meaning: 'A simulated transaction has less gas than its intrinsic cost.',
    remedy: 'Raise its gas; the message states the required amount.',
  },
  insufficientFunds: {
    code: -38014,
    meaning: 'The sender of a simulated transaction cannot pay for gas and value.',
    remedy: 'Override its balance, or lower value and fees.',
  },
  blockGasLimit: {
    code: -38015,
    meaning: 'The transactions of a simulated block need more gas than the block has.',
    remedy: 'Override the gas limit of the block, or use several blocks.',
  },
  blockNumberOrder: {
    code: -38020,
    meaning: 'Numbers of simulated blocks do not increase.',
    remedy: 'Omit the numbers, or use increasing ones.',
  },
  blockTimeOrder: {
    code: -38021,
    meaning: 'Timestamps of simulated blocks do not increase.',
    remedy: 'Omit the timestamps, or use increasing ones.',
  },
  initCodeTooLarge: {
    code: -38025,
    meaning: 'A simulated contract creation has more init code than EIP-3860 allows.',
    remedy: 'Split the contract.',
  },
  tooManyBlocks: {
    code: -38026,
    meaning: 'A simulation has too many blocks, including gaps between given numbers, or a request has too many slots.',
    remedy: 'Use at most 256 simulated blocks and 1,024 slots.',
  },
  reverted: {
    code: 3,
    meaning: 'The contract reverted.',
    remedy: 'The message contains the reason, the data its raw bytes.',
  },
} as const satisfies Record<string, RpcErrorEntry>;

export type RpcErrorName = keyof typeof rpcErrors;

/** An error that the client gets unchanged. */
export class RpcError extends CairnError<'RPC_ERROR'> {
  readonly rpcCode: number;
  readonly data: unknown;

  constructor(name: RpcErrorName, message: string, data?: unknown) {
    super('RPC_ERROR', message);
    this.rpcCode = rpcErrors[name].code;
    this.data = data;
  }
}

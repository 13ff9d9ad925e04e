import { ProviderRpcError } from './rpc-request.ts';

/** Numbers of parameters: those that are required, and all. */
type Counts = readonly [required: number, all: number];

/** Parameters of each verified method, as geth 1.17.5 counts them. */
export const paramCounts = {
  eth_chainId: [0, 0],
  net_version: [0, 0],
  eth_accounts: [0, 0],
  eth_blockNumber: [0, 0],
  eth_call: [1, 4],
  eth_getBalance: [1, 2],
  eth_getTransactionCount: [1, 2],
  eth_getStorageAt: [2, 3],
  eth_getCode: [1, 2],
  eth_getProof: [2, 3],
  eth_getLogs: [1, 1],
  eth_getBlockByHash: [2, 2],
  eth_getBlockByNumber: [2, 2],
  eth_getHeaderByHash: [1, 1],
  eth_getHeaderByNumber: [1, 1],
  eth_getBlockTransactionCountByHash: [1, 1],
  eth_getBlockTransactionCountByNumber: [1, 1],
  eth_getBlockReceipts: [1, 1],
  eth_getTransactionByHash: [1, 1],
  eth_getTransactionReceipt: [1, 1],
  eth_getTransactionByBlockHashAndIndex: [2, 2],
  eth_getTransactionByBlockNumberAndIndex: [2, 2],
  eth_sendRawTransaction: [1, 1],
} as const satisfies Readonly<Record<string, Counts>>;

export type VerifiedMethodName = keyof typeof paramCounts;

/** Returns the parameters of a request, in the wording of geth otherwise. @throws ProviderRpcError with code -32602 */
export function parseParams(method: VerifiedMethodName, given: unknown): readonly unknown[] {
  const params = given ?? [];
  if (!Array.isArray(params)) throw new ProviderRpcError(-32602, 'non-array args');
  const [required, all] = paramCounts[method];
  if (params.length > all) throw new ProviderRpcError(-32602, `too many arguments, want at most ${all}`);
  if (params.length < required)
    throw new ProviderRpcError(-32602, `missing value for required argument ${params.length}`);
  return params;
}

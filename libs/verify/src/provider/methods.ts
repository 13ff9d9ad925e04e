import {
  type Block,
  blockToJson,
  bytesFromHex,
  type Header,
  type Hex,
  headerToJson,
  hexFromBytes,
  keccak256,
  parseAddress,
  parseData,
  quantity,
  receiptToJson,
  transactionToJson,
} from '@cairn/block-model';
import { forkRules } from '@cairn/evm';
import { blobBaseFeeAt } from '@cairn/evm-executor';
import { specOf, type VerifiedChain } from '../chain/chain-of.ts';
import { VerifyError } from '../errors.ts';
import { verifyAccount } from '../verify-account.ts';
import { logsVerified } from './log-requests.ts';
import type { VerifiedMethodName } from './params.ts';
import { ProviderRpcError, type RpcRequest } from './rpc-request.ts';
import type { VerifiedBlocks } from './verified-blocks.ts';
import { hashOf, numberOf, type VerifiedHeaders } from './verified-headers.ts';
import { callVerified } from './verify-call-result.ts';

/** Services of the methods. */
export interface ProviderContext {
  readonly request: RpcRequest;
  readonly headers: VerifiedHeaders;
  readonly blocks: VerifiedBlocks;
  readonly chain: VerifiedChain;
  readonly gasCapMultiplier?: number | undefined;
}

type Params = readonly unknown[];
type Method = (context: ProviderContext, params: Params) => unknown;

const noBytes = new Uint8Array(0);

/** Every method whose answer is verified. */
export const verifiedMethods: Readonly<Record<VerifiedMethodName, Method>> = {
  eth_chainId: ({ chain }) => quantity(BigInt(specOf(chain).chainId)),
  net_version: ({ chain }) => specOf(chain).chainId,
  eth_accounts: () => [],
  eth_blockNumber: async ({ headers }) => quantity((await headers.head()).number),

  eth_call: async ({ request, headers, chain, gasCapMultiplier }, params) =>
    callVerified(request, await headers.resolve(params[1]), params, { chain, gasCapMultiplier }),
  eth_getBalance: async (context, [address, id]) =>
    quantity((await accountAt(context, address, id)).account?.balance ?? 0n),
  eth_getTransactionCount: async (context, [address, id]) =>
    quantity((await accountAt(context, address, id)).account?.nonce ?? 0n),
  eth_getStorageAt: async (context, [address, slot, id]) =>
    (await accountAt(context, address, id, [slotOf(slot)])).slots[0],
  eth_getCode: code,
  eth_getProof: proof,
  eth_getLogs: ({ request, headers, chain }, [filter]) => logsVerified(request, headers, filter, chain),

  eth_getBlockByHash: (context, [hash, full]) => {
    const isFull = isFullOf(full);
    return orNull(
      () => context.headers.byHash(hashOf(hash)),
      (header) => blockJson(context, header, isFull),
    );
  },
  eth_getBlockByNumber: (context, [id, full]) => {
    const isFull = isFullOf(full);
    return orNull(
      () => context.headers.resolve(id),
      (header) => blockJson(context, header, isFull),
    );
  },
  eth_getHeaderByHash: (context, [hash]) => orNull(() => context.headers.byHash(hashOf(hash)), headerToJson),
  eth_getHeaderByNumber: (context, [id]) => orNull(() => context.headers.resolve(id), headerToJson),
  eth_getBlockTransactionCountByHash: (context, [hash]) =>
    orNull(
      () => context.headers.byHash(hashOf(hash)),
      async (header) => quantity((await context.blocks.block(header)).transactions.length),
    ),
  eth_getBlockTransactionCountByNumber: (context, [id]) =>
    orNull(
      () => context.headers.resolve(id),
      async (header) => quantity((await context.blocks.block(header)).transactions.length),
    ),
  eth_getBlockReceipts: (context, [id]) =>
    orNull(
      () => context.headers.resolve(id),
      async (header) => {
        const block = await context.blocks.block(header);
        return block.transactions.map(await receiptPrinter(context, block));
      },
    ),

  eth_getTransactionByHash: async (context, [hash]) => {
    const place = await placeOf(context, 'eth_getTransactionByHash', hash);
    return place && transactionJson(place.block, place.index);
  },
  eth_getTransactionReceipt: async (context, [hash]) => {
    const place = await placeOf(context, 'eth_getTransactionReceipt', hash);
    return place && (await receiptPrinter(context, place.block))(undefined, place.index);
  },
  eth_getTransactionByBlockHashAndIndex: (context, [hash, index]) => {
    const place = Number(numberOf(index));
    return orNull(
      () => context.headers.byHash(hashOf(hash)),
      async (header) => transactionJson(await context.blocks.block(header), place),
    );
  },
  eth_getTransactionByBlockNumberAndIndex: (context, [id, index]) => {
    const place = Number(numberOf(index));
    return orNull(
      () => context.headers.resolve(id),
      async (header) => transactionJson(await context.blocks.block(header), place),
    );
  },

  /** The gateway can withhold a transaction. It cannot change it, and the hash is computed. */
  eth_sendRawTransaction: async ({ request }, [raw]) => {
    const hash = hexFromBytes(keccak256(bytesFromHex(parseData('transaction', raw))));
    await request({ method: 'eth_sendRawTransaction', params: [raw] });
    return hash;
  },
};

async function accountAt(
  { request, headers }: ProviderContext,
  address: unknown,
  id: unknown,
  slots: readonly Hex[] = [],
) {
  const header = await headers.resolve(id);
  const name = parseAddress('address', address);
  const json = await request({ method: 'eth_getProof', params: [name, slots, { blockHash: header.hash }] });
  return {
    ...verifyAccount(json, { header, address: name, slots }),
    header,
    json: json as Readonly<Record<string, unknown>>,
  };
}

/** Slots are hex digits for 32 bytes at most. Nodes accept leading zeros and an absent prefix. */
function slotOf(value: unknown): Hex {
  const digits = typeof value === 'string' ? /^(?:0x)?([0-9a-f]{0,64})$/i.exec(value)?.[1] : undefined;
  if (digits === undefined)
    throw new ProviderRpcError(-32602, 'invalid argument 1: expected a slot, "0x" and 64 digits at most.');
  return `0x${digits.toLowerCase().padStart(64, '0')}`;
}

/** Nodes read null as false. */
function isFullOf(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'boolean') return value;
  throw new ProviderRpcError(-32602, 'invalid argument 1: expected true or false.');
}

async function code(context: ProviderContext, [address, id]: Params): Promise<Hex> {
  const { account, header } = await accountAt(context, address, id);
  const expected = hexFromBytes(account?.codeHash ?? keccak256(noBytes));
  if (expected === hexFromBytes(keccak256(noBytes))) return '0x';
  const answer = await context.request({ method: 'eth_getCode', params: [address, { blockHash: header.hash }] });
  if (typeof answer !== 'string' || !/^0x([0-9a-f]{2})*$/i.test(answer))
    throw new VerifyError('ANSWER_MALFORMED', 'The code is no hex.');
  const bytes = bytesFromHex(answer);
  if (hexFromBytes(keccak256(bytes)) !== expected)
    throw new VerifyError('PROOF_INVALID', `The code does not have the proven hash ${expected}.`);
  return hexFromBytes(bytes);
}

/** The proofs are those of the gateway, the values those that the proofs prove. */
async function proof(context: ProviderContext, [address, given, id]: Params): Promise<unknown> {
  if (!Array.isArray(given)) throw new ProviderRpcError(-32602, 'invalid argument 1: expected a list of slots.');
  const slots = given.map(slotOf);
  const { account, slots: values, json } = await accountAt(context, address, id, slots);
  const proofs = json.storageProof as readonly { readonly proof?: unknown }[];
  const zeros: Hex = `0x${'00'.repeat(32)}`;
  return {
    address: parseAddress('address', address),
    accountProof: json.accountProof,
    balance: quantity(account?.balance ?? 0n),
    nonce: quantity(account?.nonce ?? 0n),
    codeHash: account ? hexFromBytes(account.codeHash) : zeros,
    storageHash: account ? hexFromBytes(account.storageRoot) : zeros,
    storageProof: values.map((value, index) => ({
      key: given[index],
      value: quantity(BigInt(value)),
      proof: proofs[index]?.proof ?? [],
    })),
  };
}

/** Turns an unknown block into null, as the methods of the specification do. */
async function orNull<T>(find: () => Promise<Header>, print: (header: Header) => T | Promise<T>): Promise<T | null> {
  let header: Header;
  try {
    header = await find();
  } catch (error) {
    if (error instanceof ProviderRpcError && error.code === -32000) return null;
    throw error;
  }
  return print(header);
}

async function blockJson({ blocks }: ProviderContext, header: Header, full: boolean): Promise<unknown> {
  return blockToJson(await blocks.block(header), { full });
}

/**
 * Finds a transaction by the place that the gateway names, and verifies the place.
 * @returns null if the gateway has no such transaction: its absence cannot be proven
 */
async function placeOf({ request, headers, blocks }: ProviderContext, method: string, value: unknown) {
  const hash = hashOf(value);
  const answer = await request({ method, params: [hash] });
  const { blockHash } = (answer ?? {}) as { readonly blockHash?: unknown };
  if (typeof blockHash !== 'string') return null;
  const header = await headers.byHash(hashOf(blockHash));
  await headers.requireCanonical(header);
  const block = await blocks.block(header);
  const index = block.transactions.findIndex((each) => each.hash === hash);
  if (index >= 0) return { block, index };
  throw new VerifyError('PROOF_INVALID', `Block ${header.hash} does not contain the transaction ${hash}.`);
}

function transactionJson({ header, transactions }: Block, index: number): unknown {
  const transaction = transactions[index];
  return transaction === undefined ? null : transactionToJson(transaction, { header, index });
}

/** Reads the receipts of a block once, and returns a function that prints one. */
async function receiptPrinter({ blocks, chain }: ProviderContext, block: Block) {
  const receipts = await blocks.receipts(block.header);
  const { excessBlobGas, number, timestamp, difficulty } = block.header;
  const rules = forkRules(specOf(chain), { number, timestamp, difficulty });
  const blobs = excessBlobGas === undefined ? {} : { blobGasPrice: blobBaseFeeAt(excessBlobGas, rules) };
  return (_: unknown, index: number) => receiptToJson({ block, receipts, index, ...blobs });
}

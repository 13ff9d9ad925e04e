import { type Block, type Header, type Hex, headerFromJson, type Json, type Receipt } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import { type VerifiedAccount, verifyAccount, verifyBlock, verifyReceipts } from '@cairn/verify';
import { ApiError, type RpcAnswer, rpc } from '../../api.ts';

/** Thing that a search has found. Everything in it was verified against the hash of its block. */
export type Found =
  | { readonly kind: 'block'; readonly block: Block; readonly receipts: readonly Receipt[] }
  | {
      readonly kind: 'transaction';
      readonly block: Block;
      readonly receipts: readonly Receipt[];
      readonly index: number;
    }
  | {
      readonly kind: 'account';
      readonly header: Header;
      readonly address: Hex;
      readonly state: VerifiedAccount;
      readonly code: Hex;
    };

const addressPattern = /^0x[0-9a-f]{40}$/;
const hashPattern = /^0x[0-9a-f]{64}$/;
const numberPattern = /^(\d{1,15}|0x[0-9a-f]{1,14})$/;

/**
 * Finds a block by number or hash, a transaction by hash, or an account by address, and verifies it in the browser: headers, bodies and
 * receipts by their roots, accounts by a Merkle proof. Resolves with undefined if the network has no such thing.
 * @throws ApiError; VerifyError if an answer does not match its hash
 */
export async function find(network: string, text: string): Promise<Found | undefined> {
  const given = text.trim().toLowerCase();
  const ask = askerOf(network);
  if (given === '' || given === 'latest') return await blockOf(ask, 'eth_getBlockByNumber', 'latest');
  if (addressPattern.test(given)) return await accountOf(ask, given as Hex);
  if (hashPattern.test(given))
    return (await blockOf(ask, 'eth_getBlockByHash', given)) ?? (await transactionOf(ask, given));
  if (numberPattern.test(given)) return await blockOf(ask, 'eth_getBlockByNumber', `0x${BigInt(given).toString(16)}`);
  throw new ApiError(400, {
    message: 'This is no block, transaction or address.',
    hint: 'Enter a block number, a hash of 64 digits, or an address of 40 digits.',
  });
}

/** Blocks before a verified block, the newest first, each verified by the parent hash in the block after it. */
export async function ancestorsOf(network: string, { header }: Block, countMax = 8): Promise<readonly Block[]> {
  const found: Block[] = [];
  let { parentHash, number } = header;
  while (found.length < countMax && number > 0n) {
    const parent = await verifiedBlock(askerOf(network), 'eth_getBlockByHash', parentHash);
    if (parent === undefined) break;
    found.push(parent);
    ({ parentHash, number } = parent.header);
  }
  return found;
}

function askerOf(network: string): Ask {
  return <T>(method: string, params: readonly unknown[]) => rpc<T>(network, method, params).then(resultOf);
}

type Ask = <T>(method: string, params: readonly unknown[]) => Promise<T>;
type BlockKind = Extract<Found, { readonly kind: 'block' }>;

async function blockOf(ask: Ask, method: string, id: string): Promise<BlockKind | undefined> {
  const block = await verifiedBlock(ask, method, id);
  if (block === undefined) return undefined;
  const { header, transactions } = block;
  const receipts = transactions.length === 0 ? [] : await ask<unknown>('eth_getBlockReceipts', [header.hash]);
  return { kind: 'block', block, receipts: verifyReceipts(receipts, header) };
}

async function verifiedBlock(ask: Ask, method: string, id: string): Promise<Block | undefined> {
  const json = await ask<Json | null>(method, [id, true]);
  if (json === null) return undefined;
  // The hash of a search by hash is the trusted one; a number is trusted to name the hash that the gateway sent.
  const blockHash = (method === 'eth_getBlockByHash' ? id : String(json.hash)) as Hex;
  const count = Array.isArray(json.uncles) ? json.uncles.length : 0;
  const uncles = await Promise.all(
    Array.from({ length: Math.min(count, 2) }, async (_, index) => {
      const params = [blockHash, `0x${index.toString(16)}`];
      return headerFromJson(await ask<Json>('eth_getUncleByBlockHashAndIndex', params));
    }),
  );
  return verifyBlock(json, { blockHash, uncles });
}

async function transactionOf(ask: Ask, hash: string): Promise<Found | undefined> {
  const json = await ask<Json | null>('eth_getTransactionByHash', [hash]);
  if (json === null || typeof json.blockHash !== 'string') return undefined;
  const found = await blockOf(ask, 'eth_getBlockByHash', json.blockHash);
  const index = found?.block.transactions.findIndex((one) => one.hash === hash) ?? -1;
  if (found === undefined || index < 0)
    throw new ApiError(502, { message: 'The gateway named a block that does not contain this transaction.' });
  return { ...found, kind: 'transaction', index };
}

async function accountOf(ask: Ask, address: Hex): Promise<Found> {
  const latest = await blockOf(ask, 'eth_getBlockByNumber', 'latest');
  if (latest === undefined) throw new ApiError(502, { message: 'The network has no block.' });
  const { header } = latest.block;
  const at = { blockHash: header.hash };
  const state = verifyAccount(await ask<unknown>('eth_getProof', [address, [], at]), { header, address });
  const code = await ask<Hex>('eth_getCode', [address, at]);
  if (!isCodeOf(state, code)) throw new ApiError(502, { message: 'The code does not match the hash in the account.' });
  return { kind: 'account', header, address, state, code };
}

function isCodeOf({ account }: VerifiedAccount, code: Hex): boolean {
  if (account === undefined) return code === '0x';
  const bytes = Uint8Array.from(code.slice(2).match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
  const hash = keccak256(bytes);
  return hash.every((byte, index) => byte === account.codeHash[index]);
}

function resultOf<T>({ result, error }: RpcAnswer<T>): T {
  if (error !== undefined) throw new ApiError(400, { message: error.message });
  return result as T;
}

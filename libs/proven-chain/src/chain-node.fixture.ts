import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type Block,
  blockToJson,
  bytesFromHex,
  decodeTransaction,
  encodeBlock,
  type Header,
  type Hex,
  hexFromBytes,
  type Log,
  logsBloomOf,
  makeHeader,
  type Receipt,
  receiptsRoot,
  receiptToJson,
  transactionsRoot,
} from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import { encodeRlp } from '@cairn/rlp';
import { emptyTrieRoot, readProof, Trie } from '@cairn/trie';

const historyContract = '0x0000f90827f1c53a10cb7a02335b175320002935';
const zeros = (length: number): Hex => `0x${'00'.repeat(length)}`;
const emptyUncles: Hex = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347';
const emptyRoot = hexFromBytes(emptyTrieRoot);

/** One block of a test chain with its receipts. */
export interface TestBlock {
  readonly block: Block;
  readonly receipts: readonly Receipt[];
}

interface BuildOptions {
  readonly length: number;
  /** Logs of the only transaction of a block, by number. Other blocks are empty. */
  readonly logs?: Readonly<Record<number, readonly Log[]>>;
  /** Distinguishes branches from the number `forkAt` on. */
  readonly seed?: number;
  readonly forkAt?: number;
  readonly base?: TestChain;
  /** The state of the last block has the EIP-2935 contract. */
  readonly withHistory?: boolean;
  /** Further accounts of the state of the last block. */
  readonly accounts?: Readonly<Record<Hex, TestAccount>>;
  /** Transactions of a block with logs. The first one has the logs. Default: 1. */
  readonly transactionsMin?: number;
}

/** Account with slots, each a name and a value. */
interface TestAccount {
  readonly balance: number;
  readonly code: Hex;
  readonly slots: Readonly<Record<Hex, Hex>>;
}

/** Chain whose headers, transactions and receipts have the right roots. Only its last block has a state. */
export class TestChain {
  readonly blocks: TestBlock[] = [];
  readonly #nodes = new Map<string, Uint8Array>();
  readonly #store = {
    load: (hash: Uint8Array) => this.#nodes.get(hexFromBytes(hash)) ?? new Uint8Array(0),
    save: (hash: Uint8Array, node: Uint8Array) => void this.#nodes.set(hexFromBytes(hash), node),
  };
  readonly #storageRoots = new Map<Hex, Uint8Array>();
  readonly #accounts: Readonly<Record<Hex, TestAccount>>;
  readonly #transactionsMin: number;

  constructor({ length, logs = {}, seed = 0, forkAt = 0, base, withHistory = false, ...rest }: BuildOptions) {
    this.#accounts = rest.accounts ?? {};
    this.#transactionsMin = rest.transactionsMin ?? 1;
    this.blocks.push(...(base?.blocks.slice(0, forkAt) ?? []));
    for (let number = this.blocks.length; number < length; number++) {
      const isLast = number === length - 1;
      const stateRoot = isLast && withHistory ? this.#buildState() : emptyRoot;
      this.blocks.push(this.#build(number, logs[number], stateRoot, seed));
    }
  }

  get head(): Header {
    return (this.blocks.at(-1) as TestBlock).block.header;
  }

  at(number: number): Header {
    return (this.blocks[number] as TestBlock).block.header;
  }

  answer(method: string, params: readonly unknown[]): unknown {
    if (method === 'eth_getProof') return this.#proof(params as [string, string[]]);
    if (method === 'eth_getCode') return this.#accounts[params[0] as Hex]?.code ?? '0x';
    if (method === 'eth_getTransactionByHash') {
      const holder = this.blocks.find(({ block }) => block.transactions.some(({ hash }) => hash === params[0]));
      return holder === undefined ? null : { blockHash: holder.block.header.hash };
    }
    const found =
      method === 'eth_getBlockByNumber' && params[0] === 'latest'
        ? this.blocks.at(-1)
        : this.#find(params[0] as string);
    if (found === undefined) return null;
    const { block, receipts } = found;
    if (method === 'eth_getBlockReceipts') return receipts.map((_, index) => receiptToJson({ block, receipts, index }));
    return blockToJson(block, { full: params[1] === true });
  }

  #find(name: string): TestBlock | undefined {
    if (name.length < 66) return this.blocks[Number(name)];
    return this.blocks.find(({ block }) => block.header.hash === name);
  }

  #build(number: number, logs: readonly Log[] | undefined, stateRoot: Hex, seed: number): TestBlock {
    const count = logs === undefined ? 0 : this.#transactionsMin;
    const transactions = Array.from({ length: count }, (_, index) => transactionOf(number + 1000 * index));
    const receipts: Receipt[] = transactions.map((_, index) => {
      const own = index === 0 ? (logs ?? []) : [];
      const gas = 50_000n * BigInt(index + 1);
      return { type: 0, status: true, cumulativeGasUsed: gas, logsBloom: logsBloomOf(own), logs: own };
    });
    const header = makeHeader({
      parentHash: this.blocks.at(-1)?.block.header.hash ?? zeros(32),
      unclesHash: emptyUncles,
      miner: zeros(20),
      stateRoot,
      transactionsRoot: transactionsRoot(transactions),
      receiptsRoot: receiptsRoot(receipts),
      logsBloom: logsBloomOf(logs ?? []),
      difficulty: 0n,
      number: BigInt(number),
      gasLimit: 30_000_000n,
      gasUsed: 50_000n * BigInt(transactions.length),
      timestamp: BigInt(1000 + number * 12),
      extraData: `0x${seed.toString(16).padStart(2, '0')}`,
      mixHash: zeros(32),
      nonce: zeros(8),
      baseFeePerGas: 7n,
      withdrawalsRoot: emptyRoot,
      blobGasUsed: 0n,
      excessBlobGas: 0n,
      parentBeaconBlockRoot: zeros(32),
      requestsHash: zeros(32),
    });
    const block = { header, transactions, uncles: [], withdrawals: [] };
    return { block: { ...block, size: encodeBlock(block).length }, receipts };
  }

  #buildState(): Hex {
    const storage = new Trie(this.#store, emptyTrieRoot);
    for (const { block } of this.blocks.slice(-8191)) {
      const slot = new Uint8Array(32);
      new DataView(slot.buffer).setUint32(28, Number(block.header.number % 8191n));
      storage.put(keccak256(slot), encodeRlp(bytesFromHex(block.header.hash)));
    }
    this.#storageRoots.set(historyContract, storage.root());
    const state = new Trie(this.#store, emptyTrieRoot);
    const account = [Uint8Array.of(1), new Uint8Array(0), storage.root(), keccak256(new Uint8Array(0))];
    state.put(keccak256(bytesFromHex(historyContract)), encodeRlp(account));
    for (const [name, { balance, code, slots }] of Object.entries(this.#accounts) as [Hex, TestAccount][]) {
      const own = new Trie(this.#store, emptyTrieRoot);
      for (const [slot, value] of Object.entries(slots))
        own.put(keccak256(bytesFromHex(slot as Hex)), encodeRlp(bytesFromHex(value)));
      this.#storageRoots.set(name, own.root());
      const fields = [Uint8Array.of(1), Uint8Array.of(balance), own.root(), keccak256(bytesFromHex(code))];
      state.put(keccak256(bytesFromHex(name)), encodeRlp(fields));
    }
    return hexFromBytes(state.root());
  }

  #proof([name, slots]: [string, string[]]): unknown {
    const proofOf = (root: Uint8Array, key: Hex) =>
      readProof(this.#store, root, keccak256(bytesFromHex(key))).nodes.map(hexFromBytes);
    return {
      accountProof: proofOf(bytesFromHex(this.head.stateRoot), name as Hex),
      storageProof: slots.map((slot) => ({
        proof: proofOf(this.#storageRoots.get(name as Hex) ?? emptyTrieRoot, slot as Hex),
      })),
    };
  }
}

function transactionOf(number: number) {
  const one = Uint8Array.of(1);
  const nonce =
    number === 0
      ? new Uint8Array(0)
      : bytesFromHex(`0x${number.toString(16).padStart(4, '0')}`.replace(/^0x00/, '0x') as Hex);
  const fields = [nonce, one, Uint8Array.of(0x52, 0x08), new Uint8Array(20), new Uint8Array(0), new Uint8Array(0)];
  return decodeTransaction(encodeRlp([...fields, Uint8Array.of(27), one, one]));
}

/** Fault of a node: another result, an RPC error, or the true one. */
export type Lie = (method: string, params: readonly unknown[], result: unknown) => unknown;

/** Results of a node by method. An error is a method that it lacks. */
export interface AnsweringChain {
  answer(method: string, params: readonly unknown[]): unknown;
}

/** HTTP node over a chain that can be replaced. `rounds` has the methods of each HTTP request. */
export async function startChainNode<Chain extends AnsweringChain>(
  chain: Chain,
  lie: Lie = (_method, _params, result) => result,
) {
  const node = { chain, url: '', rounds: [] as string[][], stop: async () => {} };
  const server: Server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text);
    const requests: { id: number; method: string; params: unknown[] }[] = Array.isArray(body) ? body : [body];
    const own = (method: string, params: readonly unknown[]) => method === 'eth_chainId' || params[0] === 'latest';
    const counted = requests.filter(({ method, params }) => !own(method, params)).map(({ method }) => method);
    if (counted.length > 0) node.rounds.push(counted);
    const answers = requests.map(({ id, method, params }) => {
      if (method === 'eth_chainId') return { jsonrpc: '2.0', id, result: '0x1' };
      const result = node.chain.answer(method, params);
      const answer = own(method, params) ? result : lie(method, params, result);
      return answer instanceof Error
        ? { jsonrpc: '2.0', id, error: { code: -32601, message: answer.message } }
        : { jsonrpc: '2.0', id, result: answer };
    });
    response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  node.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  node.stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return node;
}

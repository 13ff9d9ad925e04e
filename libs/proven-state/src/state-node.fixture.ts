import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { keccak256 } from '@cairn/cid';
import { encodeRlp } from '@cairn/rlp';
import { emptyTrieRoot, readProof, Trie } from '@cairn/trie';

export const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replace(/^0x/, ''), 'hex'));
export const hex = (data: Uint8Array) => `0x${Buffer.from(data).toString('hex')}`;
export const word = (value: bigint | number) => bytes(BigInt(value).toString(16).padStart(64, '0'));
export const address = (value: number) => bytes(value.toString(16).padStart(40, '0'));

/** Account of a test state: slots and values as numbers. */
export interface TestAccount {
  readonly nonce?: number;
  readonly code?: Uint8Array;
  readonly slots?: Readonly<Record<string, number>>;
}

const trimmed = (value: number) =>
  bytes(
    value === 0 ? '' : value.toString(16).padStart(value.toString(16).length + (value.toString(16).length % 2), '0'),
  );

/** A state with its tries, which answers eth_getProof and eth_getCode. */
export class TestState {
  readonly #nodes = new Map<string, Uint8Array>();
  readonly #codes = new Map<string, Uint8Array>();
  readonly #storageRoots = new Map<string, Uint8Array>();
  readonly stateRoot: Uint8Array;
  readonly #store = {
    load: (hash: Uint8Array) => this.#nodes.get(hex(hash)) ?? new Uint8Array(0),
    save: (hash: Uint8Array, node: Uint8Array) => void this.#nodes.set(hex(hash), node),
  };

  /** @param accounts by address, `0x` and 40 digits */
  constructor(accounts: Readonly<Record<string, TestAccount>>) {
    const trie = new Trie(this.#store, emptyTrieRoot);
    for (const [name, { nonce = 0, code = new Uint8Array(0), slots = {} }] of Object.entries(accounts)) {
      const storage = new Trie(this.#store, emptyTrieRoot);
      for (const [slot, value] of Object.entries(slots)) storage.put(keccak256(bytes(slot)), encodeRlp(trimmed(value)));
      const storageRoot = storage.root();
      this.#codes.set(name, code);
      this.#storageRoots.set(name, storageRoot);
      trie.put(keccak256(bytes(name)), encodeRlp([trimmed(nonce), trimmed(5), storageRoot, keccak256(code)]));
    }
    this.stateRoot = trie.root();
  }

  answer(method: string, [name, slots = []]: [string, string[]?]): unknown {
    if (method === 'eth_getCode') return hex(this.#codes.get(name) ?? new Uint8Array(0));
    const proofOf = (root: Uint8Array, key: Uint8Array) => readProof(this.#store, root, keccak256(key)).nodes.map(hex);
    const storageRoot = this.#storageRoots.get(name) ?? emptyTrieRoot;
    return {
      address: name,
      accountProof: proofOf(this.stateRoot, bytes(name)),
      storageProof: slots.map((slot) => ({ key: slot, value: '0x0', proof: proofOf(storageRoot, bytes(slot)) })),
    };
  }
}

interface RpcRequest {
  readonly id: number;
  readonly method: string;
  readonly params: [string, string[]?];
}

/** HTTP node over a test state. `lie` may change any answer. */
export async function startStateNode(
  state: TestState,
  lie: (method: string, result: unknown) => unknown = (_, result) => result,
) {
  /** Requests that read state: one entry per HTTP request. */
  const rounds: RpcRequest[][] = [];
  const server: Server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const body = JSON.parse(text) as RpcRequest | RpcRequest[];
    const requests = Array.isArray(body) ? body : [body];
    const reads = requests.filter(({ method }) => method === 'eth_getProof' || method === 'eth_getCode');
    if (reads.length > 0) rounds.push(reads);
    const answers = requests.map(({ id, method, params }) => {
      if (method === 'eth_chainId') return { jsonrpc: '2.0', id, result: '0x1' };
      if (method === 'eth_getBlockByNumber')
        return { jsonrpc: '2.0', id, result: { number: '0x64', hash: hex(state.stateRoot) } };
      return { jsonrpc: '2.0', id, result: lie(method, state.answer(method, params)) };
    });
    response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    rounds,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

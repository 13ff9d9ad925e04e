import {
  bytesFromBigint,
  bytesFromHex,
  type Header,
  type Hex,
  headerToJson,
  hexFromBytes,
  makeHeader,
} from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import { encodeRlp } from '@cairn/rlp';
import { emptyTrieRoot, readProof, Trie } from '@cairn/trie';

/** Account of a test state. Slots and values are numbers. */
export interface StateAccount {
  readonly balance?: bigint;
  readonly code?: Hex;
  readonly slots?: Readonly<Record<string, number>>;
}

interface BuiltAccount {
  readonly code: Hex;
  readonly storageRoot: Uint8Array;
}

const zeros = (length: number): Hex => `0x${'00'.repeat(length)}`;
const emptyRoot = hexFromBytes(emptyTrieRoot);
export const word = (value: bigint | number): Hex => `0x${BigInt(value).toString(16).padStart(64, '0')}`;
export const miner: Hex = `0x${'cb'.repeat(20)}`;

/** Slot of a Solidity mapping. */
export function mappingSlot(key: bigint | number, base: number): Hex {
  return hexFromBytes(keccak256(bytesFromHex(`${word(key)}${word(base).slice(2)}`)));
}

/** A chain of empty blocks, each with the state that it is given. Answers the methods of a node for any of its blocks. */
export class StateChain {
  readonly headers: Header[] = [];
  readonly #nodes = new Map<string, Uint8Array>();
  readonly #states = new Map<string, ReadonlyMap<string, BuiltAccount>>();
  readonly #store = {
    load: (hash: Uint8Array) => this.#nodes.get(hexFromBytes(hash)) ?? new Uint8Array(0),
    save: (hash: Uint8Array, node: Uint8Array) => void this.#nodes.set(hexFromBytes(hash), node),
  };

  get head(): Header {
    return this.headers.at(-1) as Header;
  }

  add(accounts: Readonly<Record<Hex, StateAccount>>): Header {
    const header = makeHeader({
      parentHash: this.headers.at(-1)?.hash ?? zeros(32),
      unclesHash: '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347',
      miner,
      stateRoot: hexFromBytes(this.#build(accounts)),
      transactionsRoot: emptyRoot,
      receiptsRoot: emptyRoot,
      logsBloom: zeros(256),
      difficulty: 0n,
      number: BigInt(this.headers.length),
      gasLimit: 30_000_000n,
      gasUsed: 0n,
      timestamp: BigInt(1000 + this.headers.length * 12),
      extraData: '0x',
      mixHash: zeros(32),
      nonce: zeros(8),
      baseFeePerGas: 7n,
      withdrawalsRoot: emptyRoot,
    });
    this.headers.push(header);
    return header;
  }

  answer(method: string, params: readonly unknown[]): unknown {
    if (method === 'eth_getBlockByHash') return this.#block(this.headers.find(({ hash }) => hash === params[0]));
    if (method === 'eth_getBlockByNumber')
      return this.#block(params[0] === 'latest' ? this.head : this.headers[Number(params[0])]);
    const { blockHash } = (params.at(-1) ?? {}) as { blockHash?: string };
    const header = this.headers.find(({ hash }) => hash === blockHash);
    if (header === undefined) return new Error(`the method ${method} does not exist`);
    const account = this.#states.get(header.stateRoot)?.get(params[0] as string);
    if (method === 'eth_getCode') return account?.code ?? '0x';
    if (method !== 'eth_getProof') return new Error(`the method ${method} does not exist`);
    const proofOf = (root: Uint8Array, key: Hex) =>
      readProof(this.#store, root, keccak256(bytesFromHex(key))).nodes.map(hexFromBytes);
    const slots = params[1] as Hex[];
    return {
      accountProof: proofOf(bytesFromHex(header.stateRoot), params[0] as Hex),
      storageProof: slots.map((slot) => ({ proof: proofOf(account?.storageRoot ?? emptyTrieRoot, slot) })),
    };
  }

  #block(header: Header | undefined) {
    return header === undefined ? null : { ...headerToJson(header), transactions: [], uncles: [], withdrawals: [] };
  }

  #build(accounts: Readonly<Record<Hex, StateAccount>>): Uint8Array {
    const built = new Map<string, BuiltAccount>();
    const state = new Trie(this.#store, emptyTrieRoot);
    for (const [address, { balance = 0n, code = '0x', slots = {} }] of Object.entries(accounts)) {
      const storage = new Trie(this.#store, emptyTrieRoot);
      for (const [slot, value] of Object.entries(slots))
        storage.put(keccak256(bytesFromHex(slot as Hex)), encodeRlp(bytesFromBigint(BigInt(value))));
      const storageRoot = storage.root();
      built.set(address, { code, storageRoot });
      const codeHash = keccak256(bytesFromHex(code));
      state.put(
        keccak256(bytesFromHex(address as Hex)),
        encodeRlp([new Uint8Array(0), bytesFromBigint(balance), storageRoot, codeHash]),
      );
    }
    const root = state.root();
    this.#states.set(hexFromBytes(root), built);
    return root;
  }
}

import {
  bytesFromBigint,
  bytesFromHex,
  type ChainSpec,
  encodeRlp,
  type Header,
  type Hex,
  hexFromBytes,
  keccak256,
  makeHeader,
  parseGethGenesis,
} from '@cairn/block-model';
import { createMemoryState, type MemoryAccount } from '@cairn/block-model/testing';
import { recordCall } from '@cairn/evm-executor';
import { emptyTrieRoot, readProof, Trie } from '@cairn/trie';
import { type CallMessageJson, parseCallMessage } from './witness/call-message.ts';
import { encodeCallWitness } from './witness/call-witness.ts';
import { HashedContent } from './witness/witness-state.ts';

type Accounts = Readonly<Record<Hex, MemoryAccount>>;

const blobs = { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 };
const blocks = ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg', 'istanbul'];
/** Chain on which all forks up to Osaka are active from genesis. */
export const testSpec: ChainSpec = parseGethGenesis('test', {
  config: {
    chainId: 1337,
    ...Object.fromEntries([...blocks, 'berlin', 'london', 'mergeNetsplit'].map((fork) => [`${fork}Block`, 0])),
    terminalTotalDifficulty: 0,
    ...Object.fromEntries(['shanghai', 'cancun', 'prague', 'osaka'].map((fork) => [`${fork}Time`, 0])),
    blobSchedule: { cancun: blobs, prague: blobs, osaka: blobs },
  },
  nonce: '0x0',
  timestamp: '0x0',
  gasLimit: '0x1c9c380',
  difficulty: '0x0',
  alloc: {},
}).spec;

const zeros = (length: number): Hex => `0x${'00'.repeat(length)}`;
export const word = (value: bigint | number): Hex => `0x${BigInt(value).toString(16).padStart(64, '0')}`;
export const addressOf = (byte: string): Hex => `0x${byte.repeat(20)}`;

/** State in tries, with the nodes that prove reads. */
export class TestState {
  readonly root: Hex;
  readonly reader;
  readonly #content: HashedContent;
  readonly #root: Uint8Array;
  readonly #storageRoots = new Map<Hex, Uint8Array>();

  constructor(accounts: Accounts) {
    const nodes: Uint8Array[] = [];
    const store = {
      load: (): never => {
        throw new Error('New tries have no stored nodes.');
      },
      save: (_: Uint8Array, node: Uint8Array) => void nodes.push(node),
    };
    const trie = new Trie(store, emptyTrieRoot);
    for (const [address, { balance = 0n, nonce = 0n, code = '0x', storage = {} }] of Object.entries(accounts)) {
      const slots = new Trie(store, emptyTrieRoot);
      for (const [slot, value] of Object.entries(storage))
        slots.put(keccak256(bytesFromHex(slot)), encodeRlp(bytesFromBigint(BigInt(value))));
      const storageRoot = slots.root();
      this.#storageRoots.set(address as Hex, storageRoot);
      const fields = [bytesFromBigint(nonce), bytesFromBigint(balance), storageRoot, keccak256(bytesFromHex(code))];
      trie.put(keccak256(bytesFromHex(address)), encodeRlp(fields));
    }
    this.#root = trie.root();
    this.root = hexFromBytes(this.#root);
    this.reader = createMemoryState(accounts);
    this.#content = new HashedContent('trie node', nodes);
  }

  nodesOf(reads: ReadonlyMap<Hex, ReadonlySet<Hex>>): Uint8Array[] {
    const nodes = new Set<Uint8Array>();
    for (const [address, slots] of reads) {
      for (const node of readProof(this.#content, this.#root, keccak256(bytesFromHex(address))).nodes) nodes.add(node);
      const root = this.#storageRoots.get(address);
      if (root === undefined) continue;
      for (const slot of slots)
        for (const node of readProof(this.#content, root, keccak256(bytesFromHex(slot))).nodes) nodes.add(node);
    }
    return [...nodes];
  }

  /** Answer of eth_getProof. */
  proofOf(address: Hex, slots: readonly Hex[]) {
    const path = (root: Uint8Array, name: Hex) =>
      readProof(this.#content, root, keccak256(bytesFromHex(name))).nodes.map(hexFromBytes);
    const root = this.#storageRoots.get(address);
    return {
      accountProof: path(this.#root, address),
      storageProof: slots.map((key) => ({ key, proof: root === undefined ? [] : path(root, key) })),
    };
  }
}

/** Creates headers from genesis to a height; the state root is the same in all. */
export function headersTo(height: number, fields: Partial<Omit<Header, 'hash' | 'raw'>> = {}): Header[] {
  const headers: Header[] = [];
  for (let number = 0; number <= height; number++) {
    headers.push(
      makeHeader({
        parentHash: headers.at(-1)?.hash ?? zeros(32),
        unclesHash: hexFromBytes(keccak256(encodeRlp([]))),
        miner: addressOf('cc'),
        stateRoot: hexFromBytes(emptyTrieRoot),
        transactionsRoot: hexFromBytes(emptyTrieRoot),
        receiptsRoot: hexFromBytes(emptyTrieRoot),
        logsBloom: zeros(256),
        difficulty: 0n,
        gasLimit: 30_000_000n,
        gasUsed: 0n,
        timestamp: BigInt(number) * 12n,
        extraData: '0x',
        mixHash: word(7),
        nonce: zeros(8),
        baseFeePerGas: 7n,
        withdrawalsRoot: hexFromBytes(emptyTrieRoot),
        blobGasUsed: 0n,
        excessBlobGas: 0n,
        parentBeaconBlockRoot: zeros(32),
        requestsHash: zeros(32),
        ...fields,
        number: BigInt(number),
      }),
    );
  }
  return headers;
}

/** A chain with one state, and witnesses of calls on its head. */
export class TestChain {
  readonly state: TestState;
  readonly headers: readonly Header[];
  readonly head: Header;

  constructor(accounts: Accounts, height = 10) {
    this.state = new TestState(accounts);
    this.headers = headersTo(height, { stateRoot: this.state.root });
    this.head = this.headers.at(-1) as Header;
  }

  /** The parts of the witness of a call, to be changed by tests. */
  async partsOf(json: CallMessageJson) {
    const message = parseCallMessage(json);
    const { result, reads, codes, lowestHash } = await recordCall({
      spec: testSpec,
      header: this.head,
      state: this.state.reader,
      blockHashes: (number) => this.headers[Number(number)]?.hash,
      ...message,
    });
    const lowest = lowestHash === undefined ? this.head.number : lowestHash + 1n;
    return {
      chainId: 1337n,
      message,
      headers: this.headers
        .slice(Number(lowest))
        .map(({ raw }) => raw)
        .reverse(),
      codes,
      nodes: this.state.nodesOf(reads),
      result,
    };
  }

  async witnessOf(json: CallMessageJson): Promise<Uint8Array> {
    return encodeCallWitness(await this.partsOf(json));
  }
}

export const token = addressOf('c0');
export const holder = addressOf('a1');
const balanceSlot = hexFromBytes(keccak256(bytesFromHex(`0x${holder.slice(2).padStart(64, '0')}${'00'.repeat(32)}`)));

/** Returns its argument. */
export const codeOfC6: Hex = '0x5f355f5260205ff3';

/** Accounts with contracts for each kind of read and result. */
export const testAccounts: Accounts = {
  [holder]: { balance: 10n ** 18n, nonce: 3n },
  // Reads balances[argument], with KECCAK256 and SLOAD.
  [token]: {
    code: '0x6004355f525f60205260405f20545f5260205ff3',
    storage: { [balanceSlot]: word(5006), [word(1)]: word(1), [word(2)]: word(2) },
  },
  // Returns the hash of the block whose number is the argument.
  [addressOf('c1')]: { code: '0x5f35405f5260205ff3' },
  // Reverts with its input.
  [addressOf('c2')]: { code: '0x365f5f37365ffd' },
  // Returns the code size of the account in the argument.
  [addressOf('c3')]: { code: '0x5f353b5f5260205ff3' },
  // Loops.
  [addressOf('c4')]: { code: '0x5b5f56' },
  // Calls the token with its input and returns the output.
  [addressOf('c5')]: { code: `0x365f5f3760205f365f5f73${token.slice(2)}5af15060205ff3` },
  [addressOf('c6')]: { code: codeOfC6 },
  ...Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [`0x${(n + 1).toString(16).padStart(40, '0')}`, { balance: BigInt(n + 1) }]),
  ),
};

export const balanceOf: CallMessageJson = {
  call: { to: token, data: `0x70a08231${holder.slice(2).padStart(64, '0')}` },
};

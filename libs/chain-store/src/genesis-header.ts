import {
  bytesFromHex,
  type ChainSpec,
  forkAt,
  forkSchedule,
  forksIncluded,
  type Header,
  type Hex,
  hexFromBytes,
  type KnownChain,
  logsBloomOf,
  makeHeader,
  unclesHash,
} from '@cairn/block-model';
import { emptyTrieRoot } from '@cairn/trie';

/** Fields of a genesis file for the first header. Numbers are hexadecimal or decimal strings, or JSON numbers. */
type GenesisFields = Readonly<Record<string, unknown>>;

/** Header fields in the genesis files of known networks. */
const knownFields: Readonly<Record<KnownChain, GenesisFields>> = {
  mainnet: {
    gasLimit: 5_000,
    difficulty: 17_179_869_184,
    nonce: '0x42',
    extraData: '0x11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa',
  },
  sepolia: {
    timestamp: '0x6159af19',
    gasLimit: 30_000_000,
    difficulty: 131_072,
    nonce: '0x0',
    extraData: '0x5365706f6c69612c20417468656e732c204174746963612c2047726565636521',
  },
  hoodi: { timestamp: '0x67d80ec0', gasLimit: '0x2255100', difficulty: '0x1', nonce: '0x1234' },
};

/** INITIAL_BASE_FEE of EIP-1559, in wei. */
const initialBaseFee = 1_000_000_000n;
const emptyRoot = hexFromBytes(emptyTrieRoot);
const zeroHash: Hex = `0x${'00'.repeat(32)}`;
/** SHA-256 of no bytes: the hash of an empty list of requests (EIP-7685). */
const noRequests = '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Computes the header of block 0 from the rules of a chain and the root of its first state. */
export function genesisHeader(spec: ChainSpec, stateRoot: Uint8Array): Header {
  const fields: GenesisFields = 'known' in spec ? knownFields[spec.known] : spec.genesis;
  const number = (name: string) => integerOf(fields[name]);
  const timestamp = number('timestamp');
  const schedule = forkSchedule(spec);
  const forks = forksIncluded(schedule, forkAt(schedule, { number: 0n, timestamp }));
  return makeHeader({
    parentHash: zeroHash,
    unclesHash: unclesHash([]),
    miner: hexField(fields.coinbase, 20),
    stateRoot: hexFromBytes(stateRoot),
    transactionsRoot: emptyRoot,
    receiptsRoot: emptyRoot,
    logsBloom: logsBloomOf([]),
    difficulty: number('difficulty'),
    number: 0n,
    gasLimit: number('gasLimit'),
    gasUsed: 0n,
    timestamp,
    extraData: hexFromBytes(bytesFromHex(withPrefix(String(fields.extraData ?? '')))),
    mixHash: hexField(fields.mixHash, 32),
    nonce: hexField(fields.nonce, 8),
    ...(forks.has('london') && {
      baseFeePerGas: fields.baseFeePerGas == null ? initialBaseFee : number('baseFeePerGas'),
    }),
    ...(forks.has('shanghai') && { withdrawalsRoot: emptyRoot }),
    ...(forks.has('cancun') && {
      blobGasUsed: 0n,
      excessBlobGas: number('excessBlobGas'),
      parentBeaconBlockRoot: zeroHash,
    }),
    ...(forks.has('prague') && { requestsHash: noRequests }),
  });
}

/** Pads hexadecimal digits to a fixed number of bytes; zeros for an absent field. */
function hexField(value: unknown, bytes: number): Hex {
  if (value === undefined || value === null) return `0x${'00'.repeat(bytes)}`;
  const text = String(value);
  const digits = text.replace(/^0x/, '');
  return `0x${digits.toLowerCase().padStart(bytes * 2, '0')}`;
}

/** Reads a number of a genesis file: a hexadecimal or decimal string, or a JSON number; `0x` is 0. */
function integerOf(value: unknown): bigint {
  return value === undefined || value === null || value === '0x' ? 0n : BigInt(String(value));
}

const withPrefix = (text: string) => (text.startsWith('0x') ? text : `0x${text}`);

// Inputs of the scenarios: published vectors of the libs, and inputs for every precompile.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../lib/toolchain.mjs';

const read = (lib, file) => JSON.parse(readFileSync(join(root, 'libs', lib, 'vectors', file), 'utf8'));
const hex = (number, bytes = 32) => number.toString(16).padStart(bytes * 2, '0');

const { decoded, blocks: cidBlocks } = read('cid', 'cids.json');
const { vectors: multihashes } = read('cid', 'multihash.json');
const { blocks } = read('block-model', 'blocks.json');
const proof = read('trie', 'eth-get-proof.json');
const witnesses = read('verify', 'call-witnesses.json');

/** alt_bn128: the generators, and the negation of the first. */
const fieldModulus = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n;
const g1 = hex(1n) + hex(2n);
const g1Negative = hex(1n) + hex(fieldModulus - 2n);
const g2 = [
  0x198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2n,
  0x1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6edn,
  0x090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975bn,
  0x12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daan,
]
  .map((coordinate) => hex(coordinate))
  .join('');

/** Commitment to the zero polynomial, and the proof of its value at zero: both are the point at infinity. */
const infinity = `c0${'00'.repeat(47)}`;
const versionedHash = `01${createHash('sha256').update(Buffer.from(infinity, 'hex')).digest('hex').slice(2)}`;

/** Inputs by address. The recovery is from go-ethereum's tests, BLAKE2F from EIP-152. */
const inputs = {
  '01 ecrecover': `18c547e4f7b0f325ad1e56f57e26c745b09a3e503d86e00e5255ff7f715d3d1c${hex(0x1c)}73b1693892219d736caba55bdb67216e485557ea6b6af75f37096c9aa6a5a75feeb940b1d03b21e36b0e47e79769f095fe2ab855bd91e3a38756b7d75a9c4549`,
  '01 ecrecover of nothing': `${hex(1)}${hex(27)}${hex(0)}${hex(0)}`,
  '02 sha256': 'cafe',
  '03 ripemd160': 'cafe',
  '04 identity': 'cafe',
  '05 modexp': `${hex(1)}${hex(1)}${hex(1)}030507`,
  '06 bn254 addition': g1 + g1,
  '07 bn254 multiplication': g1 + hex(9),
  '08 bn254 pairing': g1 + g2 + g1Negative + g2,
  '08 bn254 pairing of no point': hex(5).repeat(6),
  '09 blake2f': `0000000c48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5d182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b616263${'00'.repeat(125)}0300000000000000000000000000000001`,
  '0a point evaluation': `${versionedHash}${hex(0)}${hex(0)}${infinity}${infinity}`,
  '0a point evaluation of a wrong value': `${versionedHash}${hex(0)}${hex(1)}${infinity}${infinity}`,
  '0b bls12-381 addition in G1': '00'.repeat(256),
  '0c bls12-381 multiplication in G1': '00'.repeat(160),
  '0d bls12-381 addition in G2': '00'.repeat(512),
  '0e bls12-381 multiplication in G2': '00'.repeat(288),
  '0f bls12-381 pairing': '00'.repeat(384),
  '10 bls12-381 point of G1': hex(1, 64),
  '11 bls12-381 point of G2': hex(1, 64) + hex(2, 64),
};

/** Argument of each scenario's `run`. */
export const vectors = {
  cid: { cids: cidBlocks.map(({ cid }) => cid).concat(decoded?.cid ?? []), multihashes },
  unixfs: {},
  dag: {},
  'jsonrpc-core': {},
  trie: { proof },
  'block-model': { blocks: blocks.map(({ hash, rlp }) => ({ hash, rlp })) },
  /** Number and time of blocks of mainnet: Frontier, Byzantium, Berlin, Cancun, Osaka. */
  evm: {
    places: [
      [1, 0],
      [4_370_000, 0],
      [12_244_000, 0],
      [19_426_587, 1_710_338_135],
      [23_935_694, 1_764_798_551],
    ],
  },
  'evm-executor': {
    precompiles: Object.entries(inputs).map(([name, data]) => ({
      name,
      to: `0x${name.slice(0, 2).padStart(40, '0')}`,
      data: `0x${data}`,
    })),
  },
  verify: witnesses,
};

/** Libs that run in browsers. */
export const browserLibs = Object.keys(vectors);

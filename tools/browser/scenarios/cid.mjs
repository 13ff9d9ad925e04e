import {
  cidFor,
  codecName,
  decodeMultibase,
  digest,
  encodeMultibase,
  formatCid,
  hashes,
  keccak256,
  multibases,
  parseCid,
  verifyBytes,
} from '@cairn/cid';
import { codeOf, digits, patterned } from './tools.mjs';

export async function run({ cids, multihashes }) {
  const bytes = patterned(100_000);
  return {
    hashes: [...hashes.keys()].map((name) => [name, digits(digest(name, bytes.subarray(0, 1000)).bytes)]),
    published: multihashes.map(([name, text]) => digits(digest(name, new TextEncoder().encode(text)).bytes)),
    cids: cids.map((text) => {
      const cid = parseCid(text);
      return [cid.toString(), cid.version, codecName(cid.code), cid.version === 1 && formatCid(cid, 'base36')];
    }),
    made: ['raw', 'dag-pb', 'dag-cbor'].map((codec) => cidFor(bytes, { codec }).toString()),
    multibases: multibases.map((base) => {
      const text = encodeMultibase(base, bytes.subarray(0, 40));
      return [base.name, digits(text), digits(decodeMultibase(text).bytes)];
    }),
    keccak256: digits(keccak256(bytes)),
    refusals: [
      await codeOf(() => parseCid('no cid')),
      await codeOf(() => verifyBytes(cidFor(bytes, { codec: 'raw' }), bytes.subarray(1))),
      await codeOf(() => cidFor('text', { codec: 'raw' })),
      await codeOf(() => decodeMultibase(new TextEncoder().encode('f0'))),
    ],
  };
}

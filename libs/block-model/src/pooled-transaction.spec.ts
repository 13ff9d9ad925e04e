import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type BlobSidecar,
  blobHashOf,
  bytesFromBigint,
  decodePooledTransaction,
  decodeTransaction,
  encodePooledTransaction,
  encodeRlp,
  encodeTransaction,
  hexFromBytes,
  type RlpItem,
} from './index.ts';
import { prepareKzg, verifyBlobs } from './kzg/index.ts';
import { vectorSidecar } from './testing/index.ts';

/** Network form of a blob transaction with the hashes of a sidecar. Its signature is not valid. */
function blobTransaction(sidecar: BlobSidecar): Uint8Array {
  const raw = encodeTransaction({
    type: 3,
    chainId: 1n,
    nonce: 5n,
    gas: 21_000n,
    maxFeePerGas: 3n,
    maxPriorityFeePerGas: 2n,
    maxFeePerBlobGas: 4n,
    to: `0x${'11'.repeat(20)}`,
    value: 1n,
    input: '0x',
    blobVersionedHashes: sidecar.commitments.map(blobHashOf),
    v: 0n,
    r: 1n,
    s: 2n,
  });
  return encodePooledTransaction({ transaction: decodeTransaction(raw), sidecar });
}

const undecodable = (text: string) =>
  expect.objectContaining({ code: 'DECODE_FAILED', message: expect.stringContaining(text) });
const bytes = (value: bigint) => bytesFromBigint(value);

describe('decodePooledTransaction', () => {
  test.each([0, 1] as const)(
    'reads the network form with a sidecar of version %s, whose inverse is the encoding',
    (version) => {
      const raw = blobTransaction(vectorSidecar(version));
      const pooled = decodePooledTransaction(raw);
      expect(pooled.transaction).toMatchObject({ type: 3, nonce: 5n });
      expect(pooled.transaction.blobVersionedHashes).toHaveLength(2);
      expect(pooled.sidecar).toMatchObject({ version, proofs: { length: version === 0 ? 2 : 256 } });
      expect(hexFromBytes(encodePooledTransaction(pooled))).toBe(hexFromBytes(raw));
      // The hash covers the form in a block, so both forms have one hash.
      expect(decodePooledTransaction(pooled.transaction.raw)).toEqual({ transaction: pooled.transaction });
    },
  );

  test('uses the texts of geth for unknown types and numbers above 64 bits', () => {
    const decode = (raw: Uint8Array) => () => decodePooledTransaction(raw);
    expect(decode(new Uint8Array())).toThrow(undecodable('typed transaction too short'));
    expect(decode(Uint8Array.of(2))).toThrow(undecodable('typed transaction too short'));
    for (const type of [0, 5, 0x7e])
      expect(decode(Uint8Array.of(type, 0xc0))).toThrow(undecodable('transaction type not supported'));
    const legacy = (nonce: bigint, gas: bigint) =>
      encodeRlp([
        bytes(nonce),
        bytes(1n),
        bytes(gas),
        new Uint8Array(20),
        bytes(0n),
        new Uint8Array(),
        bytes(37n),
        bytes(1n),
        bytes(1n),
      ]);
    expect(decode(legacy(2n ** 64n, 1n))).toThrow(
      undecodable('rlp: input string too long for uint64, decoding into (types.LegacyTx).Nonce'),
    );
    expect(decode(legacy(1n, 2n ** 64n))).toThrow(undecodable('(types.LegacyTx).Gas'));
    expect(decodePooledTransaction(legacy(2n ** 64n - 1n, 2n ** 64n - 1n)).transaction.chainId).toBe(1n);
  });

  test('refuses wrong versions, lengths and numbers of fields', () => {
    const inner: RlpItem = [];
    const blob =
      (...items: RlpItem[]) =>
      () =>
        decodePooledTransaction(Uint8Array.of(3, ...encodeRlp([inner, ...items])));
    expect(blob(bytes(2n), [], [], [])).toThrow(undecodable('unsupported blob tx version 2'));
    expect(blob(bytes(0n), [], [], [])).toThrow(undecodable('unsupported blob tx version 0'));
    expect(blob([new Uint8Array(100)], [], [])).toThrow(undecodable('expected 131072 bytes'));
    expect(blob([], [new Uint8Array(47)], [])).toThrow(undecodable('expected 48 bytes'));
    expect(blob([], [])).toThrow(undecodable('it is missing'));
    expect(blob([], [], [], [])).toThrow(undecodable('too many'));
  });

  test('a changed bit changes the hash or the sidecar, or the bytes are refused', () => {
    const raw = blobTransaction({ version: 0, blobs: [], commitments: vectorSidecar(0).commitments, proofs: [] });
    const { transaction } = decodePooledTransaction(raw);
    for (let at = 0; at < raw.length * 8; at++) {
      const changed = Uint8Array.from(raw);
      changed[at >> 3] = (changed[at >> 3] ?? 0) ^ (1 << (at & 7));
      try {
        const other = decodePooledTransaction(changed);
        expect([other.transaction.hash, other.sidecar]).not.toEqual([
          transaction.hash,
          decodePooledTransaction(raw).sidecar,
        ]);
        expect(hexFromBytes(encodePooledTransaction(other))).toBe(hexFromBytes(changed));
      } catch (error) {
        expect(error).toMatchObject({ code: 'DECODE_FAILED' });
      }
    }
  });

  test('arbitrary bytes are refused with DECODE_FAILED', () => {
    fc.assert(
      fc.property(fc.constantFrom(1, 2, 3, 4, 0xc0, 0xf8), fc.uint8Array({ maxLength: 200 }), (first, rest) => {
        expect(() => decodePooledTransaction(Uint8Array.of(first, ...rest))).toThrow(undecodable(''));
      }),
    );
  });
});

describe('verifyBlobs', () => {
  test('verifyBlobs refuses to answer before KZG is loaded', () => {
    expect(() => verifyBlobs(vectorSidecar(0))).toThrow('Await prepareKzg() first.');
  });

  test.each([0, 1] as const)('accepts a valid sidecar of version %s and refuses changed ones', async (version) => {
    await prepareKzg();
    const valid = vectorSidecar(version);
    expect(verifyBlobs(valid)).toBe(true);
    const flipped = (list: readonly Uint8Array[]) =>
      list.map((entry, index) =>
        index === list.length - 1 ? entry.map((byte, at) => (at === 20 ? byte ^ 1 : byte)) : entry,
      );
    expect(verifyBlobs({ ...valid, blobs: flipped(valid.blobs) })).toBe(false);
    expect(verifyBlobs({ ...valid, commitments: flipped(valid.commitments) })).toBe(false);
    expect(verifyBlobs({ ...valid, proofs: flipped(valid.proofs) })).toBe(false);
    expect(verifyBlobs({ ...valid, proofs: [...valid.proofs].reverse() })).toBe(false);
    expect(verifyBlobs({ ...valid, proofs: valid.proofs.slice(1) })).toBe(false);
    expect(verifyBlobs({ ...valid, blobs: valid.blobs.slice(1) })).toBe(false);
    expect(verifyBlobs({ ...valid, version: version === 0 ? 1 : 0 })).toBe(false);
    // A field element above the order of the field.
    const large = valid.blobs.map((blob) => blob.map((byte, at) => (at < 32 ? 0xff : byte)));
    expect(verifyBlobs({ ...valid, blobs: large })).toBe(false);
  });
});

import { readFileSync } from 'node:fs';
import { bytesFromHex, type Hex } from './hex.ts';
import { type BlobSidecar, blobHashOf, encodePooledTransaction } from './pooled-transaction.ts';
import { decodeTransaction, encodeTransaction } from './transaction.ts';

interface BlobVector {
  readonly seed: number;
  readonly commitment: Hex;
  readonly proof: Hex;
  readonly cellProofs: readonly Hex[];
}

const { blobs }: { readonly blobs: readonly BlobVector[] } = JSON.parse(
  readFileSync(new URL('../vectors/blobs.json', import.meta.url), 'utf8'),
);

/** Element i is (i + seed) * 123456789123456789 + 7. */
function blobOf(seed: number): Uint8Array {
  const blob = new Uint8Array(131_072);
  const view = new DataView(blob.buffer);
  for (let i = 0; i < 4096; i++) {
    const value = BigInt(i + seed) * 123_456_789_123_456_789n + 7n;
    view.setBigUint64(i * 32 + 16, value >> 64n);
    view.setBigUint64(i * 32 + 24, value & (2n ** 64n - 1n));
  }
  return blob;
}

/** A valid sidecar with two blobs. */
export function vectorSidecar(version: 0 | 1): BlobSidecar {
  return {
    version,
    blobs: blobs.map(({ seed }) => blobOf(seed)),
    commitments: blobs.map(({ commitment }) => bytesFromHex(commitment)),
    proofs: blobs.flatMap(({ proof, cellProofs }) => (version === 0 ? [proof] : cellProofs).map(bytesFromHex)),
  };
}

/** Network form of a blob transaction with the hashes of a sidecar. Its signature is not valid. */
export function blobTransaction(sidecar: BlobSidecar): Uint8Array {
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

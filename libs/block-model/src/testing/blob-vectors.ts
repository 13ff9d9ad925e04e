import { readFileSync } from 'node:fs';
import { bytesFromHex, type Hex } from '../hex.ts';
import type { BlobSidecar } from '../pooled-transaction.ts';

interface BlobVector {
  readonly seed: number;
  readonly commitment: Hex;
  readonly proof: Hex;
  readonly cellProofs: readonly Hex[];
}

const { blobs }: { readonly blobs: readonly BlobVector[] } = JSON.parse(
  readFileSync(new URL('../../vectors/blobs.json', import.meta.url), 'utf8'),
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

/** Returns a valid sidecar with two blobs. */
export function vectorSidecar(version: 0 | 1): BlobSidecar {
  return {
    version,
    blobs: blobs.map(({ seed }) => blobOf(seed)),
    commitments: blobs.map(({ commitment }) => bytesFromHex(commitment)),
    proofs: blobs.flatMap(({ proof, cellProofs }) => (version === 0 ? [proof] : cellProofs).map(bytesFromHex)),
  };
}

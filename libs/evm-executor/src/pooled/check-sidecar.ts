import { type BlobSidecar, blobHashOf, cellProofsPerBlob, type Transaction } from '@cairn/block-model';
import { blobsOfTransactionMax } from '../check-message.ts';
import { PooledRejectedError } from './errors.ts';

/**
 * Performs geth's checks of a blob sidecar, except for the proofs. Proofs of version 0 are accepted on every fork: nodes compute the
 * cell proofs from the blobs.
 * @throws POOLED_BLOBS_INVALID
 */
export function checkSidecar(
  { maxFeePerBlobGas = 0n, blobVersionedHashes = [] }: Transaction,
  sidecar: BlobSidecar | undefined,
): void {
  if (maxFeePerBlobGas < 1n)
    throw refuse(
      `transaction gas price below minimum: blob fee cap ${maxFeePerBlobGas}, minimum needed 1`,
      'Raise maxFeePerBlobGas.',
    );
  if (sidecar === undefined)
    throw refuse('missing sidecar in blob transaction', 'Send the network form, with blobs, commitments and proofs.');
  const { version, blobs, commitments, proofs } = sidecar;
  if (commitments.length !== blobVersionedHashes.length)
    throw refuse(
      `invalid number of ${commitments.length} blob commitments compared to ${blobVersionedHashes.length} blob hashes`,
      'Send one commitment for each blob hash.',
    );
  for (const [index, commitment] of commitments.entries()) {
    const [computed, given] = [blobHashOf(commitment), blobVersionedHashes[index]];
    if (computed !== given)
      throw refuse(
        `blob ${index}: computed hash ${computed} mismatches transaction one ${given}`,
        'Send the commitments in the order of the blob hashes.',
      );
  }
  if (blobVersionedHashes.length > blobsOfTransactionMax)
    throw refuse(
      `transaction blob limit exceeded: blob count ${blobVersionedHashes.length}, limit ${blobsOfTransactionMax}`,
      'Send the blobs in several transactions (EIP-7594).',
    );
  const proofsWanted = version === 0 ? commitments.length : commitments.length * cellProofsPerBlob;
  if (proofs.length !== proofsWanted)
    throw refuse(
      `Wrong sidecar format: invalid number of ${proofs.length} blob proofs expected ${proofsWanted}`,
      version === 0
        ? 'Send one proof for each blob.'
        : `Send ${cellProofsPerBlob} cell proofs for each blob (EIP-7594).`,
    );
  if (blobs.length === 0) throw refuse('blobless blob transaction', 'Add a blob, or send a transaction of type 2.');
  if (blobs.length !== commitments.length)
    throw refuse(
      `invalid number of ${blobs.length} blobs compared to ${commitments.length} commitments`,
      'Send one commitment for each blob.',
    );
}

function refuse(message: string, hint: string): PooledRejectedError {
  return new PooledRejectedError('POOLED_BLOBS_INVALID', message, hint);
}

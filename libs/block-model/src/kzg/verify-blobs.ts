import { hexFromBytes } from '../hex.ts';
import { type BlobSidecar, cellProofsPerBlob } from '../pooled-transaction.ts';
import { kzg } from './kzg.ts';

/**
 * Reports whether the proofs of a sidecar match its blobs and commitments. Takes 50 to 400 ms for each blob, so it belongs in a
 * worker thread. Version 1 needs Node, since browsers load a trusted setup without the points for cells.
 * @throws Error before `prepareKzg` has resolved
 */
export function verifyBlobs({ version, blobs, commitments, proofs }: BlobSidecar): boolean {
  const loaded = kzg();
  const proofsPerBlob = version === 0 ? 1 : cellProofsPerBlob;
  if (commitments.length !== blobs.length || proofs.length !== blobs.length * proofsPerBlob) return false;
  const [blobTexts, commitmentTexts, proofTexts] = [blobs, commitments, proofs].map((list) => list.map(hexFromBytes));
  if (blobTexts === undefined || commitmentTexts === undefined || proofTexts === undefined) return false;
  try {
    if (version === 0) return loaded.verifyBlobProofBatch(blobTexts, commitmentTexts, proofTexts);
    const cells = blobTexts.flatMap((blob) => loaded.computeCells(blob));
    const ofCells = cells.map((_, index) => commitmentTexts[Math.floor(index / cellProofsPerBlob)] ?? '');
    const indices = cells.map((_, index) => index % cellProofsPerBlob);
    return loaded.verifyCellKzgProofBatch(ofCells, indices, cells, proofTexts);
  } catch {
    // Not points of the curve, or field elements that are not canonical.
    return false;
  }
}

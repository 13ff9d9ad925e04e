import { prepareKzg, verifyBlobs } from '@cairn/block-model/kzg';
import type { VerifiedBlobs, VerifyBlobsJob } from './execution-job.ts';

/** Verifies the proofs of a sidecar. Cannot be interrupted: beyond its time limit, it ends with its worker. */
export async function serveBlobs({ sidecar }: VerifyBlobsJob): Promise<VerifiedBlobs> {
  await prepareKzg();
  return { kind: 'verifiedBlobs', isValid: verifyBlobs(sidecar), gasUsed: 0n };
}

import type { ObjectStore } from '@cairn/object-store';

/** Key that no object has. A server that works answers that it is absent. */
const absentKey = 'probe/absent';

/**
 * Creates a check of a bucket that costs no request while requests succeed. After failures, of which some are answers such as "not
 * found", it asks for an absent object until the bucket answers. It rejects with the error of that request, and where a proxy reports
 * that the object exists.
 */
export function createBucketCheck(objects: Pick<ObjectStore, 'traffic' | 'stat'>): () => Promise<void> {
  const failures = () => Object.values(objects.traffic()).reduce((sum, each) => sum + each.failures, 0);
  let known = failures();
  return async () => {
    if (failures() === known) return;
    if ((await objects.stat(absentKey)) !== undefined) throw new Error('Another server answers for the object store.');
    known = failures();
  };
}

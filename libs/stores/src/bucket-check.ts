import type { ObjectStore } from '@cairn/object-store';

/** Key that no object has. A server that works answers that it is absent. */
const absentKey = 'probe/absent';

export const bucketCheckLimits = {
  /** Milliseconds that the answer to a probe may take. */
  probeMs: 2500,
  /** Milliseconds without any answer after which an idle bucket is probed. */
  idleMs: 30_000,
} as const;

/**
 * Creates a check of a bucket that costs no request while requests are answered. Otherwise it asks for an absent object: after
 * failures, of which some are answers such as "not found"; when requests were open at the last check and none has ended since; and
 * after a time without requests. It rejects if this request fails or takes too long, and where a proxy reports that the object exists.
 * After a rejection each check asks, until the bucket answers.
 */
export function createBucketCheck(
  objects: Pick<ObjectStore, 'traffic' | 'stat'>,
  {
    now = Date.now,
    probeMs = bucketCheckLimits.probeMs,
  }: { readonly now?: () => number; readonly probeMs?: number } = {},
): () => Promise<void> {
  const observe = () => {
    const all = Object.values(objects.traffic());
    const sum = (of: (traffic: (typeof all)[number]) => number) => all.reduce((total, each) => total + of(each), 0);
    const open = sum((each) => each.open);
    return { open, ended: sum((each) => each.requests) - open, failures: sum((each) => each.failures), at: now() };
  };
  let known = observe();
  let answeredAt = known.at;
  let isProven = true;
  return async () => {
    const before = known;
    known = observe();
    const hasAnswers = known.ended > before.ended;
    if (hasAnswers) answeredAt = known.at;
    const isStuck = before.open > 0 && known.open > 0 && !hasAnswers;
    const isIdle = known.at - answeredAt >= bucketCheckLimits.idleMs;
    if (isProven && known.failures === before.failures && !isStuck && !isIdle) return;
    isProven = false;
    if ((await probe(objects, probeMs)) !== undefined) throw new Error('Another server answers for the object store.');
    isProven = true;
    known = observe();
    answeredAt = known.at;
  };
}

async function probe(objects: Pick<ObjectStore, 'stat'>, probeMs: number) {
  const signal = AbortSignal.timeout(probeMs);
  try {
    return await objects.stat(absentKey, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new Error(`The object store has not answered for ${probeMs / 1000} s.`, { cause: error });
  }
}

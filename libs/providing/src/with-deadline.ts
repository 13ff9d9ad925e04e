/** Runs an action with a signal that ends after a time or with another signal. Frees its timer when the action ends. */
export async function withDeadline<T>(
  ms: number,
  signal: AbortSignal | undefined,
  action: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const end = () => controller.abort(signal?.reason);
  const timer = setTimeout(() => controller.abort(new Error(`no answer within ${ms} milliseconds`)), ms);
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted) end();
  try {
    return await Promise.race([action(controller.signal), rejection(controller.signal)]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

import type { Chain } from './chain.ts';

/** The part of a chain that a height is awaited on. */
type GrowingChain = {
  readonly reader: Pick<Chain['reader'], 'headOrNone'>;
  readonly heads: Chain['heads'];
};

export interface ReachOptions {
  /** Maximum wait in milliseconds. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
}

/** Reports whether the newest block of a chain has at least this number. */
export function hasHeight({ reader }: GrowingChain, number: bigint): boolean {
  return (reader.headOrNone?.number ?? -1n) >= number;
}

/**
 * Waits until the newest block of a chain has at least this number. Resolves to false after `waitMs`.
 * @throws the reason of the signal
 */
export async function reachHeight(chain: GrowingChain, number: bigint, options: ReachOptions): Promise<boolean> {
  const { waitMs, signal } = options;
  signal.throwIfAborted();
  let end = (_isReached: boolean) => {};
  let fail = (_reason: unknown) => {};
  const reached = new Promise<boolean>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  const onAbort = () => fail(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => end(false), waitMs);
  const stopListening = chain.heads.listen(() => hasHeight(chain, number) && end(true));
  try {
    // The head may have changed before the first notice.
    if (hasHeight(chain, number)) return true;
    return await reached;
  } finally {
    stopListening();
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

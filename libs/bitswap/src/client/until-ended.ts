import { BitswapError } from '../errors.ts';
import type { PeerSession } from './want.ts';

/** Error of a fetch whose engine or session is closed. */
export function closed(): BitswapError {
  return new BitswapError('BITSWAP_CLOSED', 'The bitswap engine or the session is closed.');
}

/** Waits for a promise. Rejects when the signal aborts or the session closes. */
export function untilEnded<T>(promise: Promise<T>, session: PeerSession, signal: AbortSignal | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal?.reason);
    const endSubscription = session.onClose(() => reject(closed()));
    signal?.addEventListener('abort', onAbort, { once: true });
    const settled = () => {
      endSubscription();
      signal?.removeEventListener('abort', onAbort);
    };
    promise.then(resolve, reject).finally(settled);
  });
}

import type { Ping } from '@cairn/peer-api';
import { timeLimit } from '@cairn/platform';
import { parsePeerId } from './addresses/parse-address.ts';
import { peerLimits } from './limits.ts';
import type { Node } from './node/create-node.ts';

/** Pings of one call where it names no number, as in Kubo. */
const countDefault = 10;

/** Pings a peer, once per second. A failed ping is an answer too. */
export async function* pingPeer(
  node: Node,
  peer: string,
  { count = countDefault, signal }: { readonly count?: number; readonly signal?: AbortSignal } = {},
): AsyncGenerator<Ping> {
  const id = parsePeerId(peer);
  for (let index = 0; index < Math.min(count, peerLimits.pingsMax); index++) {
    if (index > 0) await sleep(peerLimits.pingIntervalMs, signal);
    const deadline = timeLimit(peerLimits.pingMs);
    try {
      const latencyMs = await node.services.ping.ping(id, {
        signal: signal === undefined ? deadline : AbortSignal.any([deadline, signal]),
      });
      yield { isSuccess: true, latencyMs, text: '' };
    } catch (error) {
      signal?.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      yield { isSuccess: false, latencyMs: 0, text: `Ping error: ${reason.slice(0, 200)}` };
    }
  }
}

function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

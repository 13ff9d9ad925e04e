import { bitswapLimits } from '../limits.ts';
import type { BitswapTransport } from '../transport.ts';
import { prefixFromCid } from '../wire/cid-prefix.ts';
import { decodeMessage } from '../wire/decode-message.ts';
import { encodeFrame } from '../wire/encode-message.ts';
import { readFrames } from '../wire/read-frames.ts';
import { finishSteps } from './finish-steps.fixture.ts';

/** Starts a peer that answers each want with other bytes under the prefix of the wanted CID. */
export async function startWrongPeer(transport: BitswapTransport, peer: string): Promise<{ readonly peer: string }> {
  const signal = new AbortController().signal;
  await transport.start({
    onConnected: () => {},
    onDisconnected: () => {},
    onStream: async (from, stream) => {
      try {
        for await (const frame of readFrames(stream, bitswapLimits.messageBytesMax)) {
          const { wants } = finishSteps(decodeMessage(frame, bitswapLimits));
          const payloads = wants
            .filter(({ isCancel }) => !isCancel)
            .map(({ cid }) => ({ prefix: prefixFromCid(cid), bytes: Buffer.from('other bytes') }));
          if (payloads.length === 0) continue;
          const answer = await transport.openStream({ peer: from }, { signal });
          await answer.send(encodeFrame({ isFull: false, wants: [], payloads, presences: [], pendingBytes: 0 }), {
            signal,
          });
        }
      } catch {
        // The other side ended the connection.
      }
    },
  });
  return { peer };
}

import { setTimeout as sleep } from 'node:timers/promises';
import { requireGrant } from '@cairn/auth';
import { isCairnError } from '@cairn/errors';
import { ApiError } from '../api-error.ts';
import { endLines, writeLine } from '../write.ts';
import { peerLimits } from './limits.ts';
import { parsePeerAddress } from './peer-address.ts';
import { definePeerCommand, offlineAnswers } from './peer-command.ts';
import { type PeerId, parsePeerId } from './peer-id.ts';

const nanosecondsPerMs = 1e6;

/** `ping`: measures round trips to a peer. Its addresses come from the routing system; only an operator may name one. */
export const ping = definePeerCommand({
  name: 'ping',
  scope: 'read',
  options: { count: { kind: 'integer', alias: 'n', default: 10, min: -(2 ** 31), max: peerLimits.pingsMax } },
  args: { name: 'peer ID', min: 1, max: 1 },
  offline: offlineAnswers.command,
  isQuery: true,
  check({ args, options: { count } }) {
    parseTarget(args[0] ?? '');
    if (count <= 0) throw new ApiError(400, `ping count must be greater than 0, was ${count}`);
  },
  async run({ peer, args, options: { count }, principal, response, signal, within, search, isOperator }) {
    const { id, address } = parseTarget(args[0] ?? '');
    if (address !== undefined) requireGrant(principal.key.policy, 'node');
    const print = (Text: string) => writeLine(response, { Success: true, Time: 0, Text }, signal);
    const self = await within((bound) => peer.describe(undefined, { signal: bound }));
    if (self.id === id.text) throw new ApiError(500, "error: can't ping self");
    if (address !== undefined)
      await within((bound) => peer.swarm.connect(address, { signal: bound })).catch((error: unknown) => {
        // The pings report the reason.
        if (!isCairnError(error, 'DIAL_FAILED')) throw error;
      });
    const peers = await within(() => peer.swarm.peers());
    const isKnown = address !== undefined || peers.some((each) => each.peer === id.text);
    if (!isKnown) await print(`Looking up peer ${id.text}`);
    await print(`PING ${id.text}.`);
    let [answers, totalMs, sent, last] = [0, 0, 0, 0];
    const pings = search((bound) => peer.ping(id.text, { count, signal: bound }), count * peerLimits.pingMsMax);
    for await (const { isSuccess, latencyMs, text } of pings) {
      if (sent++ > 0) await sleep(Math.max(0, last + peerLimits.pingIntervalMs - performance.now()));
      last = performance.now();
      const Time = isSuccess ? Math.round(latencyMs * nanosecondsPerMs) : 0;
      // A reason may quote addresses of the operator's network.
      const Text = isSuccess ? '' : isOperator ? text : 'Ping error: the peer did not answer';
      await writeLine(response, { Success: isSuccess, Time, Text }, signal);
      if (isSuccess) [answers, totalMs] = [answers + 1, totalMs + latencyMs];
      if (sent === count) break;
    }
    if (answers === 0) throw new ApiError(500, 'ping failed');
    await print(`Average latency: ${(totalMs / answers).toFixed(2)}ms`);
    endLines(response);
  },
});

/** Parses a peer ID, or an address that ends with one. @throws ApiError 400 in Kubo's words */
function parseTarget(text: string): { readonly id: PeerId; readonly address?: string } {
  try {
    if (!text.startsWith('/')) return { id: parsePeerId(text) };
    const { peer, text: address, transport } = parsePeerAddress(text, 'invalid p2p multiaddr');
    return { id: peer, ...(transport !== undefined && { address }) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new ApiError(400, `failed to parse peer address '${text}': ${error.message}`);
  }
}

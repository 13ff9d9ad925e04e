import { parseCid } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import type { RoutingEvent } from '@cairn/peer-api';
import { ApiError } from '../api-error.ts';
import { CidTextError, decodeCid } from '../cid/cid-parts.ts';
import { endLines, writeLine } from '../write.ts';
import { peerLimits } from './limits.ts';
import { definePeerCommand, offlineAnswers, type PeerContext } from './peer-command.ts';
import { parsePeerId } from './peer-id.ts';
import { type QueryEvent, queryEvent, queryEventFrom } from './query-events.ts';

const verbose = { kind: 'boolean', alias: 'v' } as const;
const notFound = 'routing: not found';

/** `routing/findprovs`: searches for providers of a CID. */
export const routingFindProviders = definePeerCommand({
  name: 'routing/findprovs',
  scope: 'read',
  options: {
    verbose,
    'num-providers': { kind: 'integer', alias: 'n', default: 20, min: -(2 ** 31), max: peerLimits.providersMax },
  },
  args: { name: 'key', min: 1, max: 1 },
  offline: offlineAnswers.command,
  isQuery: true,
  check({ args, options: { 'num-providers': count } }) {
    if (count < 1) throw new ApiError(400, 'number of providers must be greater than 0');
    searchedCid(args[0] ?? '');
  },
  async run(context) {
    const { peer, args, options: chosen, response } = context;
    const cid = searchedCid(args[0] ?? '');
    const count = chosen['num-providers'];
    await writeEvents(context, (signal) => peer.routing.findProviders(cid, { count, signal }), {
      isResult: ({ type }) => type === 'provider',
      resultsMax: count,
    });
    endLines(response);
  },
});

/** `routing/findpeer`: searches for the addresses of a peer. */
export const routingFindPeer = definePeerCommand({
  name: 'routing/findpeer',
  scope: 'read',
  options: { verbose },
  args: { name: 'peerID', min: 1, max: 1 },
  offline: offlineAnswers.command,
  isQuery: true,
  check: ({ args }) => void parsePeerId(args[0] ?? ''),
  async run(context) {
    const { peer, args, response, signal, within } = context;
    const { text } = parsePeerId(args[0] ?? '');
    const self = await within((bound) => peer.describe(undefined, { signal: bound }));
    if (self.id === text) throw new ApiError(500, 'finding your own node in the DHT is currently not supported');
    const found = await orNone(
      writeEvents(context, (bound) => peer.routing.findPeer(text, { signal: bound }), {
        isResult: (event) => event.type === 'peer' && event.provider.peer === text,
        resultsMax: 1,
      }),
    );
    if (found === 0) {
      await writeLine(response, queryEvent('error', { Extra: notFound }), signal);
      throw new ApiError(500, notFound);
    }
    endLines(response);
  },
});

/** `dht/query`, which Kubo has deprecated: searches for the nodes that are closest to a peer ID. */
export const dhtQuery = definePeerCommand({
  name: 'dht/query',
  scope: 'read',
  options: { verbose },
  args: { name: 'peerID', min: 1, max: 1 },
  offline: offlineAnswers.noDht,
  isQuery: true,
  check: ({ args }) => void queriedPeer(args[0] ?? ''),
  async run(context) {
    const { peer, args, response } = context;
    const { text } = queriedPeer(args[0] ?? '');
    await writeEvents(context, (bound) => peer.routing.findClosest(text, { signal: bound }), {
      isResult: ({ type }) => type === 'peer',
      resultsMax: peerLimits.providersMax,
      // Kubo names the found nodes without addresses.
      lineOf: (event) => (event.type === 'peer' ? queryEvent('peer', { ID: event.provider.peer ?? '' }) : undefined),
    });
    endLines(response);
  },
});

/** @throws ApiError 400 in the words of this command */
function queriedPeer(text: string) {
  try {
    return parsePeerId(text);
  } catch {
    throw new ApiError(400, 'invalid peer ID');
  }
}

/** Number of results of a search, none where the peer reports that there is no such node. */
async function orNone(results: Promise<number>): Promise<number> {
  try {
    return await results;
  } catch (error) {
    if (isCairnError(error, 'PEER_NOT_FOUND')) return 0;
    throw error;
  }
}

/** Parses the key of a search, also at the end of a path, as Kubo does. @throws ApiError 400 in the words of go-cid */
function searchedCid(text: string) {
  const cid = text.replace(/^.*\/ipfs\//, '');
  try {
    decodeCid(cid);
  } catch (error) {
    if (error instanceof CidTextError) throw new ApiError(400, error.message);
    throw error;
  }
  return parseCid(cid);
}

interface SearchView {
  readonly isResult: (event: RoutingEvent) => boolean;
  readonly resultsMax: number;
  /** Returns the line of an event where it differs from {@link queryEventFrom}. */
  readonly lineOf?: (event: RoutingEvent) => QueryEvent | undefined;
}

/** Writes the events of a search until the last result. @returns the number of results */
async function writeEvents(
  { response, signal, visible, isOperator, search }: PeerContext,
  open: (signal: AbortSignal) => AsyncIterable<RoutingEvent>,
  { isResult, resultsMax, lineOf = () => undefined }: SearchView,
): Promise<number> {
  const view = { visible, showsReasons: isOperator };
  let results = 0;
  let progress = 0;
  for await (const event of search(open)) {
    const isFound = isResult(event);
    if (!isFound && ++progress > peerLimits.progressLinesMax) continue;
    await writeLine(response, lineOf(event) ?? queryEventFrom(event, view), signal);
    if (isFound && ++results === resultsMax) break;
  }
  return results;
}

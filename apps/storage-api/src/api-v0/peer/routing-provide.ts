import { type CID, parseCid } from '@cairn/cid';
import { visitDag } from '@cairn/pinning';
import { ApiError } from '../api-error.ts';
import { CidTextError, decodeCid } from '../cid/cid-parts.ts';
import { workOf } from '../with-work.ts';
import { endLines, writeLine } from '../write.ts';
import { peerLimits } from './limits.ts';
import { definePeerCommand, offlineAnswers, type PeerContext } from './peer-command.ts';

const recursive = { kind: 'boolean', alias: 'r', default: false } as const;

/** `routing/provide`: publishes provider records. Kubo sends no lines either. */
export const routingProvide = definePeerCommand({
  name: 'routing/provide',
  scope: 'pin',
  options: { verbose: { kind: 'boolean', alias: 'v' }, recursive },
  args: { name: 'key', min: 1, max: 1000 },
  offline: offlineAnswers.command,
  isQuery: true,
  async run(context) {
    const roots = context.args.map((text) => announcedCid(text, (reason) => reason));
    const cids: CID[] = [];
    for (const root of roots) for await (const cid of announcedBlocks(context, root)) addTo(cids, cid);
    await publish(context, cids, 'cannot provide, no connected peers');
    endLines(context.response);
  },
});

/** `provide/once`: publishes provider records, with a line for each CID. */
export const provideOnce = definePeerCommand({
  name: 'provide/once',
  scope: 'pin',
  options: { recursive },
  args: { name: 'cid', min: 1, max: 1000 },
  offline: offlineAnswers.command,
  isQuery: true,
  async run(context) {
    const { args, response, signal } = context;
    const roots = args.map((text) =>
      announcedCid(text, (reason) => `invalid CID ${JSON.stringify(text.slice(0, 256))}: ${reason}`),
    );
    const cids: CID[] = [];
    const seen = new Set<string>();
    for (const root of roots)
      for await (const cid of announcedBlocks(context, root)) {
        if (seen.has(cid.toString())) continue;
        seen.add(cid.toString());
        addTo(cids, cid);
      }
    await publish(context, cids, 'cannot provide: no connected peers');
    for (const cid of cids) await writeLine(response, { Queued: cid.toString() }, signal);
    endLines(response);
  },
});

/** `routing/reprovide` and its older name: the schedule repeats all records, as Kubo's default does. */
const reprovideAs = (name: string) =>
  definePeerCommand({
    name,
    scope: 'pin',
    options: {},
    args: { name: '', min: 0, max: 0 },
    offline: offlineAnswers.command,
    async run() {
      throw new ApiError(
        500,
        "manual reprovide is not available with the sweep provider; set Provide.DHT.SweepEnabled=false to use the legacy provider, or run 'ipfs provide stat --all' to monitor the sweep schedule",
      );
    },
  });

export const reprovideCommands = [reprovideAs('routing/reprovide'), reprovideAs('bitswap/reprovide')];

/**
 * Yields the blocks to announce: a stored block that the account has pinned, or any stored one for an operator; with
 * `recursive` also those below it.
 */
async function* announcedBlocks(context: PeerContext<{ recursive: typeof recursive }>, root: CID): AsyncGenerator<CID> {
  const { store, options: chosen, signal } = context;
  if (!(await store.has(root))) throw new ApiError(500, `block ${root} not found locally, cannot provide`);
  await requirePinned(context, root);
  if (!chosen.recursive) return yield root;
  for await (const { cid } of visitDag(store, root, { signal, blocksMax: peerLimits.announcedMax })) yield cid;
}

async function requirePinned({ pinning, principal, isOperator, signal }: PeerContext, cid: CID): Promise<void> {
  if (isOperator) return;
  const { id } = principal.account;
  if ((await pinning.get(id, cid)) !== undefined) return;
  if ((await pinning.findAncestorPin(id, cid, { signal })) !== undefined) return;
  throw new ApiError(
    403,
    `this account has not pinned ${cid}. Pin it first with pin/add, or use a key with the scope "node", which an operator adds with \`cairn key limit --grants node\`.`,
  );
}

function addTo(cids: CID[], cid: CID): void {
  const { announcedMax } = peerLimits;
  if (cids.length === announcedMax)
    throw new ApiError(
      400,
      `one request announces ${announcedMax} blocks at most; announce roots, or send several requests`,
    );
  cids.push(cid);
}

/** @throws ApiError 500 with `lonely` without a connection, and if the routing system takes no record */
async function publish(
  { peer, search, signal, within, isOperator }: PeerContext,
  cids: readonly CID[],
  lonely: string,
): Promise<void> {
  if ((await within(() => peer.swarm.peers())).length === 0) throw new ApiError(500, lonely);
  // The price of the command pays for the first.
  workOf(signal)?.queries(Math.max(0, cids.length - 1));
  let failure: string | undefined;
  for await (const event of search((bound) => peer.routing.provide(cids, { signal: bound })))
    if (event.type === 'error' && event.peer === undefined) failure = event.message;
  if (failure !== undefined)
    throw new ApiError(500, `error providing cid: ${isOperator ? failure : 'no node took the record'}`);
}

function announcedCid(text: string, messageOf: (reason: string) => string): CID {
  try {
    decodeCid(text);
  } catch (error) {
    if (error instanceof CidTextError) throw new ApiError(400, messageOf(error.message));
    throw error;
  }
  return parseCid(text);
}

import { sendJson } from '../write.ts';
import { definePeerCommand, offlineAnswers, type PeerCommandDefinition } from './peer-command.ts';
import { parsePeerId } from './peer-id.ts';

const none = { name: '', min: 0, max: 0 } as const;
const base = { kind: 'text' } as const;

/** Keys in Kubo's JSON form of a CID. */
const keysOf = (cids: readonly { toString(): string }[]) => cids.map((cid) => ({ '/': cid.toString() }));

/**
 * `bitswap/stat` and its older name: counts of the peer since its start. Wants and partners are listed for operators only:
 * they show what other accounts fetch.
 */
const bitswapStatAs = (name: string) =>
  definePeerCommand({
    name,
    scope: 'read',
    options: {
      verbose: { kind: 'boolean', alias: 'v' },
      human: { kind: 'boolean' },
      'cid-base': base,
    },
    args: none,
    offline: offlineAnswers.statistics,
    async run({ peer, response, within, isOperator }) {
      const status = await within(() => peer.bitswap.status());
      sendJson(response, {
        Wantlist: isOperator ? keysOf(status.wantlist) : [],
        Peers: isOperator ? [...status.peers].sort() : [],
        BlocksReceived: status.blocksReceived,
        DataReceived: status.bytesReceived,
        DupBlksReceived: status.duplicateBlocks,
        DupDataReceived: status.duplicateBytes,
        MessagesReceived: status.messagesReceived,
        BlocksSent: status.blocksSent,
        DataSent: status.bytesSent,
      });
    },
  });

/** `bitswap/wantlist`: lists the wants of this peer, or of another one. */
const bitswapWantlist = definePeerCommand({
  name: 'bitswap/wantlist',
  scope: 'read',
  grant: 'node',
  options: { peer: { kind: 'text', alias: 'p' }, 'cid-base': base },
  args: none,
  offline: offlineAnswers.command,
  async run({ peer, response, within, options: chosen }) {
    const asked = chosen.peer === undefined ? undefined : parsePeerId(chosen.peer).text;
    const { id } = await within((signal) => peer.describe(undefined, { signal }));
    const isOther = asked !== undefined && asked !== id;
    const wants = await within(() => peer.bitswap.wantlist(isOther ? asked : undefined));
    // Go prints an empty list without elements as null.
    sendJson(response, { Keys: isOther && wants.length === 0 ? null : keysOf(wants) });
  },
});

/** `bitswap/ledger`: reports the bytes exchanged with a peer. */
const bitswapLedger = definePeerCommand({
  name: 'bitswap/ledger',
  scope: 'read',
  grant: 'node',
  options: {},
  args: { name: 'peer', min: 1, max: 1 },
  offline: offlineAnswers.command,
  check: ({ args }) => void parsePeerId(args[0] ?? ''),
  async run({ peer, args, response, within }) {
    const { text } = parsePeerId(args[0] ?? '');
    const { sentBytes, receivedBytes, exchangedBlocks } = await within(() => peer.bitswap.ledger(text));
    sendJson(response, {
      Peer: text,
      // Debt ratio of boxo.
      Value: sentBytes / (receivedBytes + 1),
      Sent: sentBytes,
      Recv: receivedBytes,
      Exchanged: exchangedBlocks,
    });
  },
});

export const bitswapCommands: readonly PeerCommandDefinition[] = [
  bitswapStatAs('bitswap/stat'),
  bitswapStatAs('stats/bitswap'),
  bitswapWantlist,
  bitswapLedger,
];

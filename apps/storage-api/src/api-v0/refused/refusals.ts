/** One command of Kubo 0.42 that this service does not offer. */
export interface Refusal {
  /** Kubo's name of the first argument, where it is required. */
  readonly argument?: string;
  /** Kubo's code 1 (status 400); else 0 (status 500). */
  readonly isClientError?: boolean;
  readonly message: string;
}

/** Command, or command with its required argument: `swarm/connect <address>`. */
type Entry = string;

const offlineCommand = "this command must be run in online mode. Try running 'ipfs daemon' first";
const noPubsub = 'experimental pubsub feature not enabled, run daemon with --enable-pubsub-experiment to use';
const noNamePubsub = 'IPNS pubsub subsystem is not enabled';
const noStreams = 'libp2p stream mounting not enabled';
const noFilestore = 'filestore is not enabled, see https://git.io/vNItf';
const noRemote = 'service not known';
const operators = 'is refused: it belongs to the operator of this service, not to an account. Ask the operator.';
const removed = "removed, use 'ipfs dag' or 'ipfs files' instead";
const removedDht = "removed, use 'ipfs routing' instead";
const schedule =
  'is refused: the queue has the announcements of all accounts, which the peer publishes. Remove pins instead.';

/** Commands by reason. Messages without a reason of this service are those of a Kubo with its default settings. */
const groups: readonly {
  readonly message: string;
  readonly isClientError?: boolean;
  readonly entries: readonly Entry[];
}[] = [
  { message: offlineCommand, entries: ['mount'] },
  {
    message: noPubsub,
    entries: ['pubsub/ls', 'pubsub/peers', 'pubsub/pub <topic>', 'pubsub/reset', 'pubsub/sub <topic>'],
  },
  { message: noNamePubsub, isClientError: true, entries: ['name/pubsub/cancel <name>', 'name/pubsub/subs'] },
  {
    message: noStreams,
    entries: [
      ...['p2p/close', 'p2p/forward <protocol>', 'p2p/listen <protocol>', 'p2p/ls'],
      ...['p2p/stream/close', 'p2p/stream/ls'],
    ],
  },
  { message: noFilestore, entries: ['filestore/dups', 'filestore/ls', 'filestore/verify'] },
  { message: noRemote, entries: ['pin/remote/add <ipfs-path>', 'pin/remote/ls', 'pin/remote/rm'] },
  {
    message: operators,
    entries: [
      ...['config/profile/apply <profile>', 'config/replace', 'pin/remote/service/add <service>'],
      ...['pin/remote/service/rm <service>', 'diag/cmds', 'diag/cmds/clear', 'diag/cmds/set-time <time>'],
      ...['diag/healthy', 'diag/profile', 'diag/sys', 'log/level', 'log/ls', 'log/tail', 'shutdown'],
    ],
  },
  { message: removedDht, entries: ['dht/findpeer', 'dht/findprovs', 'dht/get', 'dht/provide', 'dht/put'] },
  { message: schedule, entries: ['provide/clear'] },
  {
    message: removed,
    entries: [
      ...['object/data', 'object/get', 'object/links', 'object/new', 'object/put', 'object/stat'],
      ...['object/patch/append-data', 'object/patch/set-data'],
    ],
  },
];

/** Messages that start with the name of the command. */
const namesCommand: ReadonlySet<string> = new Set([operators, schedule]);

/** Every command of Kubo 0.42 that gets a reason instead of a result, by name. */
export const refusals: ReadonlyMap<string, Refusal> = new Map(
  groups.flatMap(({ message, isClientError = false, entries }) =>
    entries.map((entry) => {
      const [, name = entry, argument] = /^(\S+)(?: <(.+)>)?$/.exec(entry) ?? [];
      const text = namesCommand.has(message) ? `${name} ${message}` : message;
      return [name, { message: text, isClientError, ...(argument !== undefined && { argument }) }] as const;
    }),
  ),
);

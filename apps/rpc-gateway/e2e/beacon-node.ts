import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BeaconNetwork, ExecutionHeader } from '@cairn/light-client';
import { TestBeacon, testNetwork } from '@cairn/light-client/testing';

type Update = ReturnType<TestBeacon['update']>;

/** Fields of a block as the JSON-RPC API returns them. */
export type RpcBlock = Readonly<Record<string, string>>;

/** Slots of a sync committee period in the test chain: more than two hours, so that no period ends during a test. */
const slotsPerPeriod = 8192;
/** Slots between two execution blocks. */
const slotsPerBlock = 10;
const pathStart = '/eth/v1/beacon/light_client/';

/** A beacon node that names blocks of an execution node as heads, signed by committees with known keys. */
export interface FakeBeaconNode {
  /** URL with credentials in the user, the path and the query. */
  readonly url: string;
  /** Content of the file `head.config`. */
  readonly config: object;
  readonly checkpoint: string;
  /** Requests since the last reset, by the name of the endpoint. */
  readonly requests: Map<string, number>;
  /** Requests without the credentials of the URL. */
  readonly unauthorized: number;
  /** Heights of the newest signed and of the finalized block. */
  heads: { readonly latest: number; readonly finalized: number };
  /** Replaces each newest update. */
  forge: ((forgery: Forgery) => Update) | undefined;
  /** Close connections without an answer. */
  isDown: boolean;
  stop(): Promise<void>;
}

/** Material for a forged update. */
export interface Forgery {
  readonly beacon: TestBeacon;
  /** The same slots and execution blocks, signed by other committees. */
  readonly stranger: TestBeacon;
  /** Slots of an honest update. */
  readonly slots: { readonly attested: number; readonly finalized: number };
  /** Sync committee period of now. */
  readonly period: number;
}

/** Secrets in the URL of a fake beacon node. None of them may appear in logs, metrics or errors. */
export const beaconSecrets = ['beacon-user', 'beacon-password', 'beacon-path', 'beacon-query'] as const;
const [user, password, pathKey, queryKey] = beaconSecrets;

/** Starts a beacon node over blocks by height. Its checkpoint is two periods old and names block 1. */
export async function startBeaconNode(blocks: readonly RpcBlock[]): Promise<FakeBeaconNode> {
  const age = 2 * slotsPerPeriod + 4000;
  const { chainId: _, ...config } = {
    ...testNetwork,
    genesisTime: Math.floor(Date.now() / 1000) - age,
    secondsPerSlot: 1,
    epochsPerPeriod: slotsPerPeriod / testNetwork.slotsPerEpoch,
  };
  const network: BeaconNetwork = { ...config, chainId: 1n };
  const firstSlot = age - 1000;
  const slotOf = (height: number) => firstSlot + height * slotsPerBlock;
  const heightOf = (slot: number) =>
    Math.min(blocks.length - 1, Math.max(1, Math.floor((slot - firstSlot) / slotsPerBlock)));
  const executionAt = (slot: number) => executionHeader(blocks[heightOf(slot)] as RpcBlock);
  const beacon = new TestBeacon(1, { network, executionAt });
  const stranger = new TestBeacon(2, { network, executionAt });
  const checkpointSlot = slotsPerPeriod + 100;
  const requests = new Map<string, number>();
  const newest = () => {
    const slots = { attested: slotOf(node.heads.latest), finalized: slotOf(node.heads.finalized) };
    return node.forge?.({ beacon, stranger, slots, period: 2 }) ?? beacon.update(slots);
  };
  const answers: Readonly<Record<string, (startPeriod: number) => object>> = {
    bootstrap: () => beacon.bootstrap(checkpointSlot).json,
    updates: (startPeriod) => {
      const first = beacon.update({ attested: checkpointSlot + 100, finalized: checkpointSlot + 50 });
      return startPeriod === 1 ? [first, newest()] : [newest()];
    },
    finality_update: () => withoutNext(newest()),
    optimistic_update: () => withoutNext(newest()),
  };

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://node');
    const [name = ''] = pathname.replace(`/${pathKey}${pathStart}`, '').split('/');
    requests.set(name, (requests.get(name) ?? 0) + 1);
    if (node.isDown) return void request.socket.destroy();
    const isKnown =
      request.headers.authorization === `Basic ${btoa(`${user}:${password}`)}` &&
      pathname.startsWith(`/${pathKey}/`) &&
      searchParams.get('key') === queryKey;
    if (!isKnown) node.unauthorized++;
    const answer = answers[name];
    if (answer === undefined) return void response.writeHead(404).end('{}');
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer(Number(searchParams.get('start_period')))));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const node = {
    url: `http://${user}:${password}@127.0.0.1:${(server.address() as AddressInfo).port}/${pathKey}?key=${queryKey}`,
    config,
    checkpoint: beacon.bootstrap(checkpointSlot).root,
    requests,
    unauthorized: 0,
    heads: { latest: 2, finalized: 2 },
    forge: undefined as FakeBeaconNode['forge'],
    isDown: false,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return node;
}

/** The parts of an update that the newest updates have. */
function withoutNext({ version, data }: Update): object {
  const { next_sync_committee: _, next_sync_committee_branch: __, ...update } = data;
  return { version, data: update };
}

function executionHeader(block: RpcBlock): ExecutionHeader {
  const bytes = (name: string, length = 32) =>
    block[name] === undefined ? new Uint8Array(length) : Uint8Array.from(Buffer.from(block[name].slice(2), 'hex'));
  const uint = (name: string) => BigInt(block[name] ?? 0);
  return {
    parentHash: bytes('parentHash'),
    feeRecipient: bytes('miner', 20),
    stateRoot: bytes('stateRoot'),
    receiptsRoot: bytes('receiptsRoot'),
    logsBloom: bytes('logsBloom', 256),
    prevRandao: bytes('mixHash'),
    blockNumber: uint('number'),
    gasLimit: uint('gasLimit'),
    gasUsed: uint('gasUsed'),
    timestamp: uint('timestamp'),
    extraData: bytes('extraData'),
    baseFeePerGas: uint('baseFeePerGas'),
    blockHash: bytes('hash'),
    transactionsRoot: bytes('transactionsRoot'),
    withdrawalsRoot: bytes('withdrawalsRoot'),
    blobGasUsed: uint('blobGasUsed'),
    excessBlobGas: uint('excessBlobGas'),
  };
}

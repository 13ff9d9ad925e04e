import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Auth } from '@cairn/auth';
import type { Block, CollectableBlockstore } from '@cairn/blockstore';
import { COLLECTABLE } from '@cairn/blockstore/nest';
import { storeStates } from '@cairn/embedded-store';
import { errorChain } from '@cairn/errors';
import { peerAudience } from '@cairn/peer-api';
import { PeerApiServer } from '@cairn/peer-api/nest';
import type { ScheduleCounts } from '@cairn/providing';
import {
  beforeIdleCollection,
  type Dependency,
  type Logger,
  type RawHttp,
  type Registry,
  registerCorruptBlocks,
  registerGauge,
} from '@cairn/service-kit';
import { LOGGER, SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ContentPolicy } from './content-policy.ts';
import { registerPeerMetrics } from './peer-metrics.ts';
import type { PeerProcess } from './peer-process.ts';
import type { Serving } from './serving.ts';
import type { IpfsPeerSettings } from './settings.ts';
import { IPFS_PEER, SERVING } from './tokens.ts';

/** Serves the internal API to the other services of the home. */
@Injectable()
export class PeerServer implements RawHttp, OnApplicationShutdown {
  readonly #server: PeerApiServer;

  constructor(
    @Inject(IPFS_PEER) private readonly peer: PeerProcess,
    @Inject(SERVING) private readonly serving: Serving,
    @Inject(ContentPolicy) private readonly content: ContentPolicy,
    @Inject(Auth) auth: Auth,
    @Inject(COLLECTABLE) private readonly blocks: CollectableBlockstore,
    @Inject(SETTINGS) private readonly settings: IpfsPeerSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    beforeIdleCollection(() => peer.buffers.clear());
    this.#server = new PeerApiServer({
      api: peer.api,
      requireToken: (token) => auth.requireServiceToken(token, peerAudience),
      // Packs are written by the services: each process fills packs of its own.
      ...(settings.CAIRN_DATABASE_URL === undefined && { store: storing(peer, blocks), buffers: peer.buffers }),
      onError: (error) => logger.error({ causes: errorChain(error) }, 'a call of the internal API failed'),
    });
  }

  handleRequest(request: IncomingMessage, response: ServerResponse): boolean {
    return this.#server.handleRequest(request, response);
  }

  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    return this.#server.handleUpgrade(request, socket, head);
  }

  dependencies(): readonly Dependency[] {
    const { status } = this.peer.node;
    const problem = status === 'started' ? undefined : `the node is ${status}`;
    return [{ name: 'node', problem }, ...storeStates(this.settings.CAIRN_HOME)];
  }

  registerMetrics(metrics: Registry): void {
    registerPeerMetrics(metrics, this.peer);
    this.content.registerMetrics(metrics);
    registerCorruptBlocks(metrics, { store: this.blocks, logger: this.logger });
    const { announcements } = this.peer;
    const gauge = (name: string, help: string, read: (counts: ScheduleCounts) => number | undefined) =>
      registerGauge(metrics, name, help, () => {
        const counts = announcements?.latest();
        return counts && read(counts);
      });
    gauge('cairn_provide_records', 'Content that is announced.', ({ records }) => records);
    gauge('cairn_provide_waiting', 'Content that waits for its first announcement.', ({ waiting }) => waiting);
    gauge('cairn_provide_announced', 'Announcements since the start.', ({ announced }) => announced);
    gauge('cairn_provide_failed', 'Failed announcements since the start.', ({ failed }) => failed);
    gauge('cairn_provide_lookups', 'Regions of the DHT that were looked up since the start.', ({ lookups }) => lookups);
    gauge('cairn_provide_online', '1 while the routing system can be reached.', ({ isOnline }) => Number(isOnline));
    gauge('cairn_provide_oldest_seconds', 'Age of the oldest announcement in seconds.', ({ oldestAt }) =>
      oldestAt === undefined ? undefined : Math.max(0, (Date.now() - oldestAt) / 1000),
    );
  }

  /** Services see the end of their connections, so that they reconnect to the next process. */
  async drain(): Promise<void> {
    this.#server.close();
  }

  /** Ends the node before the stores that it writes to. */
  async onApplicationShutdown(): Promise<void> {
    await this.peer.close();
    await this.serving.close();
    await this.content.close();
  }
}

/** Returns the writer of fetched blocks. Other peers may wait for them too. */
function storing({ bitswap }: PeerProcess, blocks: CollectableBlockstore): (block: Block) => Promise<void> {
  return async (block) => {
    await blocks.putMany([block]);
    await blocks.sync();
    bitswap.announce([block.cid]);
  };
}

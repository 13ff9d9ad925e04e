import { join } from 'node:path';
import type { BlockRunner } from '@cairn/block-model';
import { type Follower, type FollowerEvent, importChain, startFollower } from '@cairn/chain-store';
import { errorChain, errorText, isCairnError } from '@cairn/errors';
import { createBlockRunner } from '@cairn/evm-executor';
import { type CallChain, DeferredCallPool } from '@cairn/evm-executor/pool';
import type { Logger, ProcessGroup } from '@cairn/service-kit';
import { LOGGER, PROCESSES, SETTINGS } from '@cairn/service-kit/nest';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { GatewaySettings } from '../settings.ts';
import { ImportMeter } from './import-meter.ts';
import type { LocalChain } from './local-chain.ts';
import type { SourceHead } from './sync-status.ts';
import type { UpstreamChain } from './upstream/upstream-chain.ts';
import { UPSTREAM_CHAINS } from './upstream/upstream-lifecycle.ts';

/** Injection token of the networks with a local store: a list has no class. */
export const LOCAL_CHAINS = Symbol('LOCAL_CHAINS');

const progressEveryMs = 5000;

/** Topic of the end of the import, for processes that do not import themselves. */
const importedTopic = 'networks are imported';

/** Imports the networks after the start, then starts the call workers and follows the sources. */
@Injectable()
export class ChainLifecycle implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #stop = new AbortController();
  readonly #followers: Follower[] = [];
  #starting: Promise<void> = Promise.resolve();
  #notReady: string | undefined = 'the networks are being imported';

  constructor(
    @Inject(LOCAL_CHAINS) private readonly chains: readonly LocalChain[],
    @Inject(UPSTREAM_CHAINS) private readonly upstreamChains: readonly UpstreamChain[],
    @Inject(DeferredCallPool) private readonly pool: DeferredCallPool,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
    @Inject(PROCESSES) private readonly processes: ProcessGroup,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Reason why requests cannot be answered yet; `undefined` when they can. */
  get notReady(): string | undefined {
    return this.#notReady;
  }

  /** Starts the import without waiting for it: the service listens meanwhile and reports that it is not ready. */
  onApplicationBootstrap(): void {
    this.#starting = this.#start().catch((error: unknown) => {
      if (this.#stop.signal.aborted) return;
      this.#notReady = `the networks cannot be served: ${errorText(error)}`;
      this.logger.fatal({ causes: errorChain(error) }, 'no network can be served');
    });
  }

  async #start(): Promise<void> {
    if (this.chains.length > 0) await this.#importOrWait();
    this.#notReady = 'the call workers are starting';
    const served = this.chains.filter(({ store }) => store.headOrNone !== undefined);
    const local = served.map((chain) => [chain.network.name, this.#callChain(chain)] as const);
    const remote = this.upstreamChains.map(({ network, calls }) => [network.name, calls] as const);
    await this.pool.start(Object.fromEntries([...local, ...remote]));
    this.#notReady = undefined;
    this.processes.whenLeading(() => {
      if (this.#stop.signal.aborted) return;
      for (const chain of served) this.#follow(chain);
    });
    for (const chain of served) this.#hearSourceHead(chain);
    this.logger.info(
      {
        networks: [
          ...served.map(({ network, store }) => ({ name: network.name, head: store.head.number.toString() })),
          ...this.upstreamChains.map(({ network, heads }) => ({
            name: network.name,
            head: heads.heads?.latest.number.toString(),
          })),
        ],
      },
      'networks are ready',
    );
  }

  /** Imports the networks if this process leads, else waits until another one has. */
  #importOrWait(): Promise<void> {
    const { signal } = this.#stop;
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      this.processes.subscribe(importedTopic, () => resolve());
      this.processes.whenLeading(() => {
        const importAll = async () => {
          for (const chain of this.chains) await this.#import(chain);
          this.processes.publish(importedTopic, true, { keep: 1 });
        };
        importAll().then(resolve, reject);
      });
    });
  }

  /** Receives the head of a source from the process that follows it. */
  #hearSourceHead(chain: LocalChain): void {
    this.processes.subscribe(sourceTopic(chain), (head) => {
      chain.sourceHead = head as SourceHead;
    });
  }

  #callChain({ network, store: { spec } }: LocalChain): CallChain {
    if (spec === undefined) throw new Error(`The network ${network.name} has blocks but no fork schedule.`);
    const options = { directory: join(this.settings.CAIRN_HOME, 'chains', network.name) };
    return {
      spec,
      // Without import and follower, whose modules would take 9 MB of each worker.
      source: { moduleUrl: import.meta.resolve('@cairn/chain-store/store'), exportName: 'openChainStore', options },
    };
  }

  async #import({ network, store }: LocalChain): Promise<void> {
    const meter = new ImportMeter({ files: network.blocks, everyMs: progressEveryMs });
    try {
      const executed = await importChain({
        store,
        name: network.name,
        genesis: network.genesis,
        files: network.blocks,
        safe: network.safe,
        finalized: network.finalized,
        runner: await this.#blockRunner(),
        signal: this.#stop.signal,
        onProgress: (progress) => {
          const report = meter.update(progress);
          if (report) this.logger.info({ network: network.name, ...report }, 'importing');
        },
      });
      if (executed > 0) this.logger.info({ network: network.name, blocks: executed }, 'imported');
    } catch (error) {
      // A refused block ends the import, not the service: the blocks before it are served.
      if (!isCairnError(error, 'BLOCK_REFUSED', 'SOURCE_INVALID') || store.headOrNone === undefined) throw error;
      this.logger.error({ network: network.name, reason: errorText(error) }, 'the import stopped');
    }
  }

  /** Creates the runner of imported blocks, on the engine of the calls. */
  async #blockRunner(): Promise<BlockRunner> {
    const { CAIRN_CALL_ENGINE: engine } = this.settings;
    if (engine !== 'ethereumjs') return createBlockRunner(engine);
    return (await import('@cairn/evm-ethereumjs')).createBlockRunner();
  }

  /** Keeps a network at the head of its source, in a thread of its own. */
  #follow(chain: LocalChain): void {
    const { network, store } = chain;
    if (network.source === undefined) return;
    let reportedAt = Number.NEGATIVE_INFINITY;
    const { number: startingNumber } = store.head;
    const onEvent = (event: FollowerEvent) => {
      if (event.kind === 'failed') {
        const { error, failures, retryInMs } = event;
        this.logger.warn({ network: network.name, error, failures, retryInMs }, 'the source cannot be followed');
        return;
      }
      const { number, nodeNumber, blocks } = event;
      const lag = nodeNumber - number;
      chain.sourceHead = { number: nodeNumber, startingNumber };
      this.processes.publish(sourceTopic(chain), chain.sourceHead, { keep: 1 });
      if (performance.now() - reportedAt < progressEveryMs) return;
      reportedAt = performance.now();
      this.logger.info({ network: network.name, block: number.toString(), lag: lag.toString(), blocks }, 'following');
    };
    const engine = this.settings.CAIRN_CALL_ENGINE;
    this.#followers.push(
      startFollower({
        directory: store.directory,
        url: network.source.rpc,
        onEvent,
        runnerModule: import.meta.resolve(engine === 'ethereumjs' ? '@cairn/evm-ethereumjs' : '@cairn/evm-executor'),
        engine,
      }),
    );
  }

  /** Ends import and followers before other modules close the pool and the stores. */
  async beforeApplicationShutdown(): Promise<void> {
    this.#stop.abort(new Error('The service is shutting down.'));
    await this.#starting;
    await Promise.all(this.#followers.map((follower) => follower.stop()));
  }
}

function sourceTopic({ network }: LocalChain): string {
  return `source of ${network.name}`;
}

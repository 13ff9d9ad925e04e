import { join } from 'node:path';
import type { BlockRunner } from '@cairn/block-model';
import { type Follower, type FollowerEvent, importChain, startFollower } from '@cairn/chain-store';
import type { Chains } from '@cairn/chain-store/nest';
import { errorChain, errorText, isCairnError } from '@cairn/errors';
import { createBlockRunner } from '@cairn/evm-executor';
import {
  type CallPool,
  type CallPoolStats,
  type CallUse,
  createCallPool,
  type ExecutionJob,
  type ResultOf,
} from '@cairn/evm-executor/pool';
import { RpcError } from '@cairn/jsonrpc-core';
import type { Logger } from '@cairn/service-kit';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { GatewaySettings } from '../settings.ts';
import { Filters } from '../subscriptions/filters.ts';
import { HeadWatcher } from '../subscriptions/head-watcher.ts';
import type { Chain } from './chain.ts';
import { ImportMeter } from './import-meter.ts';

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);
const progressEveryMs = 5000;
/** Calls up to this much gas run beside light requests, which wait a millisecond for one at most. */
const inlineGasMax = 25_000;

/** What executes blocks: the engine of the calls, or @ethereumjs/vm where that is the reference. */
function blockRunner({ CAIRN_CALL_ENGINE: engine }: GatewaySettings): BlockRunner | undefined {
  return engine === 'ethereumjs' ? undefined : createBlockRunner(engine);
}

/** Where the source of a network is. */
export interface SourceHead {
  readonly number: bigint;
  /** Height of the network when it began to follow. */
  readonly startingNumber: bigint;
}

/** The networks of this gateway: which host name means which, what is imported, and who executes calls on them. */
export class ChainRegistry implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #chains: Chains;
  readonly #settings: GatewaySettings;
  readonly #logger: Logger;
  readonly #byHost: ReadonlyMap<string, Chain>;
  readonly #stop = new AbortController();
  readonly #followers: Follower[] = [];
  /** Heights of the sources of networks, by name. */
  readonly #sources = new Map<string, SourceHead>();
  readonly #watchers = new Map<string, HeadWatcher>();
  readonly #filters = new Map<string, Filters>();
  #importing: Promise<void> = Promise.resolve();
  #pool: CallPool | undefined;
  #notReady: string | undefined = 'the networks are being imported';

  constructor(chains: Chains, settings: GatewaySettings, logger: Logger) {
    this.#chains = chains;
    this.#settings = settings;
    this.#logger = logger;
    this.#byHost = new Map(chains.flatMap((chain) => chain.network.hosts.map((host) => [host, chain] as const)));
  }

  /** Why no request can be answered yet, or `undefined`. */
  get notReady(): string | undefined {
    return this.#notReady;
  }

  /**
   * The network that a Host header means: a name of a network, else the first one for loopback names and where it
   * lists `*`.
   * @throws RpcError for a host that none names
   */
  byHost(header: string | undefined): Chain {
    const host = (header ?? '').toLowerCase().replace(/:\d{1,5}$/, '');
    const named = this.#byHost.get(host);
    if (named) return named;
    const [first] = this.#chains;
    if (first && (loopbackHosts.has(host) || first.network.hosts.includes('*'))) return first;
    const known = [...this.#byHost.keys()].join(', ') || 'none';
    throw new RpcError(
      'notFound',
      `No network is served under the host ${JSON.stringify(host.slice(0, 100))}. Known hosts: ${known}.`,
    );
  }

  /** The longest that a job may run, in milliseconds. */
  get callTimeoutMs(): number {
    return this.#settings.CAIRN_CALL_TIMEOUT_MS;
  }

  /** Runs a job on a block of a network. @throws what the pool throws */
  async execute<Job extends ExecutionJob>(
    job: Job,
    options: { readonly lane: string; readonly signal: AbortSignal; readonly onUsed?: (use: CallUse) => void },
  ): Promise<ResultOf<Job>> {
    if (this.#pool === undefined) {
      options.onUsed?.({ workerMs: 0, isAnswered: false });
      throw new RpcError('unavailable', 'The networks are being imported; calls are executed after that.');
    }
    return await this.#pool.execute(job, options);
  }

  /** Begins the import; the service listens and tells that it is not ready meanwhile. */
  onApplicationBootstrap(): void {
    this.#importing = this.#bringUp().catch((error: unknown) => {
      if (this.#stop.signal.aborted) return;
      this.#notReady = `the networks cannot be served: ${errorText(error)}`;
      this.#logger.fatal({ causes: errorChain(error) }, 'no network can be served');
    });
  }

  async #bringUp(): Promise<void> {
    for (const chain of this.#chains) await this.#import(chain);
    const served = this.#chains.filter(({ store }) => store.headOrNone !== undefined);
    const chains = served.map(({ network, store }) => {
      const { spec } = store;
      if (spec === undefined) throw new Error(`${network.name} has blocks and no rules`);
      const options = { directory: join(this.#settings.CAIRN_HOME, 'chains', network.name) };
      return [
        network.name,
        {
          spec,
          source: { moduleUrl: import.meta.resolve('@cairn/chain-store'), exportName: 'openChainStore', options },
        },
      ] as const;
    });
    const {
      CAIRN_CALL_WORKERS: workers,
      CAIRN_CALL_TIMEOUT_MS: timeoutMs,
      CAIRN_CALL_QUEUE_MAX: queueMax,
      CAIRN_CALL_ENGINE: engine,
    } = this.#settings;
    this.#pool = await createCallPool({
      chains: Object.fromEntries(chains),
      workers,
      timeoutMs,
      queueMax,
      inlineGasMax,
      engine,
    });
    this.#notReady = undefined;
    for (const chain of served) this.#follow(chain);
    this.#logger.info(
      { networks: served.map(({ network, store }) => ({ name: network.name, head: store.head.number.toString() })) },
      'networks are ready',
    );
  }

  /** Keeps a network at the head of its source, in a thread of its own. */
  #follow({ network: { name, source }, store }: Chain): void {
    if (source === undefined) return;
    let told = Number.NEGATIVE_INFINITY;
    const { number: startingNumber } = store.head;
    const onEvent = (event: FollowerEvent) => {
      if (event.kind === 'failed') {
        const { error, failures, retryInMs } = event;
        this.#logger.warn({ network: name, error, failures, retryInMs }, 'the source cannot be followed');
        return;
      }
      const { number, nodeNumber, blocks } = event;
      const lag = nodeNumber - number;
      this.#sources.set(name, { number: nodeNumber, startingNumber });
      if (performance.now() - told < progressEveryMs) return;
      told = performance.now();
      this.#logger.info({ network: name, block: number.toString(), lag: lag.toString(), blocks }, 'following');
    };
    const engine = this.#settings.CAIRN_CALL_ENGINE;
    this.#followers.push(
      startFollower({
        directory: store.directory,
        url: source.rpc,
        onEvent,
        ...(engine !== 'ethereumjs' && { runnerModule: import.meta.resolve('@cairn/evm-executor'), engine }),
      }),
    );
  }

  /** Who tells of new heads of a network. */
  watcher({ network: { name }, store }: Chain): HeadWatcher {
    let watcher = this.#watchers.get(name);
    if (watcher === undefined) {
      const onError = (error: unknown) =>
        this.#logger.error({ network: name, causes: errorChain(error) }, 'subscribers cannot be told of a new head');
      watcher = new HeadWatcher(store, { onError });
      this.#watchers.set(name, watcher);
    }
    return watcher;
  }

  /** The filters that clients ask for changes of a network. */
  filters({ network: { name }, store }: Chain): Filters {
    let filters = this.#filters.get(name);
    if (filters === undefined) {
      filters = new Filters(store);
      this.#filters.set(name, filters);
    }
    return filters;
  }

  /** Heights of the networks that have blocks, and how many blocks their sources are ahead. */
  heads(): { readonly network: string; readonly head: number; readonly lag: number | undefined }[] {
    return this.#chains.flatMap(({ network: { name }, store }) => {
      const head = store.headOrNone;
      if (head === undefined) return [];
      const source = this.#sources.get(name);
      const lag = source === undefined ? undefined : Math.max(0, Number(source.number - head.number));
      return [{ network: name, head: Number(head.number), lag }];
    });
  }

  /** What the workers do; `undefined` before there are any. */
  get load(): CallPoolStats | undefined {
    return this.#pool?.stats();
  }

  /** How high the source of a network was when it was last asked; `undefined` for one that follows none. */
  sourceHead(name: string): SourceHead | undefined {
    return this.#sources.get(name);
  }

  async #import({ network, store }: Chain): Promise<void> {
    const meter = new ImportMeter({ files: network.blocks, everyMs: progressEveryMs });
    try {
      const executed = await importChain({
        store,
        name: network.name,
        genesis: network.genesis,
        files: network.blocks,
        safe: network.safe,
        finalized: network.finalized,
        runner: blockRunner(this.#settings),
        signal: this.#stop.signal,
        onProgress: (progress) => {
          const report = meter.update(progress);
          if (report) this.#logger.info({ network: network.name, ...report }, 'importing');
        },
      });
      if (executed > 0) this.#logger.info({ network: network.name, blocks: executed }, 'imported');
    } catch (error) {
      // A refused block ends the import, not the service: what came before it is served.
      if (!isCairnError(error, 'BLOCK_REFUSED', 'SOURCE_INVALID') || store.headOrNone === undefined) throw error;
      this.#logger.error({ network: network.name, reason: errorText(error) }, 'the import stopped');
    }
  }

  async onApplicationShutdown(): Promise<void> {
    this.#stop.abort(new Error('the service is shutting down'));
    await this.#importing;
    await Promise.all(this.#followers.map((follower) => follower.stop()));
    await this.#pool?.close();
  }
}

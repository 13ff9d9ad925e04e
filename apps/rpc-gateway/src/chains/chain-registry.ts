import { join } from 'node:path';
import { importChain } from '@cairn/chain-store';
import type { Chains } from '@cairn/chain-store/nest';
import { errorChain, errorText, isCairnError } from '@cairn/errors';
import { type CallPool, createCallPool, type ExecutionJob, type ResultOf } from '@cairn/evm-executor';
import { RpcError } from '@cairn/jsonrpc-core';
import type { Logger, Settings } from '@cairn/service-kit';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Chain } from './chain.ts';

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);
const progressEveryMs = 5000;

/** The networks of this gateway: which host name means which, what is imported, and who executes calls on them. */
export class ChainRegistry implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly #chains: Chains;
  readonly #settings: Settings;
  readonly #logger: Logger;
  readonly #byHost: ReadonlyMap<string, Chain>;
  readonly #stop = new AbortController();
  #importing: Promise<void> = Promise.resolve();
  #pool: CallPool | undefined;
  #notReady: string | undefined = 'the networks are being imported';

  constructor(chains: Chains, settings: Settings, logger: Logger) {
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

  /** Runs a job on a block of a network. @throws what the pool throws */
  async execute<Job extends ExecutionJob>(
    job: Job,
    { lane, signal }: { readonly lane: string; readonly signal: AbortSignal },
  ): Promise<ResultOf<Job>> {
    if (this.#pool === undefined)
      throw new RpcError('unavailable', 'The networks are being imported; calls are executed after that.');
    return await this.#pool.execute(job, { lane, signal });
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
    } = this.#settings;
    this.#pool = await createCallPool({ chains: Object.fromEntries(chains), workers, timeoutMs, queueMax });
    this.#notReady = undefined;
    this.#logger.info(
      { networks: served.map(({ network, store }) => ({ name: network.name, head: store.head.number.toString() })) },
      'networks are ready',
    );
  }

  async #import({ network, store }: Chain): Promise<void> {
    let told = 0;
    try {
      const executed = await importChain({
        store,
        name: network.name,
        genesis: network.genesis,
        files: network.blocks,
        signal: this.#stop.signal,
        onProgress: ({ number, blocks, bytesDone, bytesTotal }) => {
          if (performance.now() - told < progressEveryMs || blocks === 0) return;
          told = performance.now();
          this.#logger.info({ network: network.name, block: number.toString(), bytesDone, bytesTotal }, 'importing');
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
    await this.#pool?.close();
  }
}

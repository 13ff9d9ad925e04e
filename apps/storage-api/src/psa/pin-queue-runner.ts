import { Auth, AuthError, type Principal } from '@cairn/auth';
import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { parseCid } from '@cairn/cid';
import { errorChain } from '@cairn/errors';
import type { Metering } from '@cairn/metering';
import { METERING } from '@cairn/metering/nest';
import {
  type ContentSource,
  type DagSize,
  Pinning,
  PinQueue,
  type PinRequest,
  type PinRequestStore,
  pinRequested,
} from '@cairn/pinning';
import { type Logger, type Registry, registerGauge } from '@cairn/service-kit';
import { LOGGER, SETTINGS } from '@cairn/service-kit/nest';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { MeteringInterceptor } from '../api-v0/metering-interceptor.ts';
import { inheritReadOptions, readOptionsOf, setReadOptions } from '../api-v0/read-options.ts';
import { StorageMeter } from '../api-v0/storage-meter.ts';
import { WriteSessions } from '../api-v0/write-sessions.ts';
import { decodeFollowed } from '../codec-pool/codec-job.ts';
import { CodecPool } from '../codec-pool/codec-pool.ts';
import { DeniedContent } from '../denied-content.ts';
import { fetchSize } from '../network/fetch-missing.ts';
import { Network } from '../network/network.ts';
import { blockWaitMs, type StorageSettings } from '../settings.ts';
import { PIN_REQUEST_STORE } from './pin-request-store.token.ts';
import { providersOf } from './providers-of.ts';
import { pinAttempt } from './psa-operations.ts';

/** Milliseconds that an attempt waits for one block of the network. Other requests of the account wait with it. */
const networkWaitMs = 30_000;
/** Milliseconds between two stored reports of progress. */
const reportMs = 1000;

/** Runs the queue of pin requests beside HTTP requests, under the quota and the limits of each account. */
@Injectable()
export class PinQueueRunner implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  readonly queue: PinQueue;

  constructor(
    @Inject(PIN_REQUEST_STORE) private readonly requests: PinRequestStore,
    @Inject(Pinning) private readonly pinning: Pinning,
    @Inject(Auth) private readonly auth: Auth,
    @Inject(METERING) private readonly metering: Metering,
    @Inject(MeteringInterceptor) private readonly interceptor: MeteringInterceptor,
    @Inject(WriteSessions) private readonly sessions: WriteSessions,
    @Inject(CodecPool) private readonly codecs: CodecPool,
    @Inject(BLOCKSTORE) private readonly store: Blockstore,
    @Inject(Network) private readonly network: Network,
    @Inject(DeniedContent) private readonly denied: DeniedContent,
    @Inject(SETTINGS) private readonly settings: StorageSettings,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.queue = new PinQueue({
      requests,
      pinning,
      pin: (request, signal) => this.#pin(request, signal),
      expiryMs: settings.STORAGE_PIN_EXPIRY_SECONDS * 1000,
      onError: (error) => logger.error({ causes: errorChain(error) }, 'a pin request could not be processed'),
    });
  }

  onApplicationBootstrap(): void {
    this.queue.start();
  }

  /** Stops before the stores close. */
  async onModuleDestroy(): Promise<void> {
    await this.queue.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.requests.close();
  }

  registerMetrics(registry: Registry): void {
    const { queue, requests } = this;
    const { counts } = queue;
    registerGauge(
      registry,
      'cairn_pin_requests_open',
      'Pin requests that wait or run.',
      () => requests.openCount(),
      [],
      'max',
    );
    registerGauge(registry, 'cairn_pin_attempts_running', 'Attempts to pin that run.', () => queue.running);
    registerGauge(registry, 'cairn_pin_requests_pinned', 'Pin requests pinned since the start.', () => counts.pinned);
    registerGauge(registry, 'cairn_pin_requests_failed', 'Pin requests failed since the start.', () => counts.failed);
    registerGauge(registry, 'cairn_pin_attempts_retried', 'Attempts that are retried.', () => counts.retried);
  }

  /** Pins the DAG of a request, metered as a request of its account. @throws the errors of `pinRequested`, LIMIT_REACHED */
  async #pin(request: PinRequest, ended: AbortSignal): Promise<void> {
    const principal = await this.#principalOf(request);
    const controller = new AbortController();
    const abort = () => controller.abort(ended.reason);
    if (ended.aborted) abort();
    ended.addEventListener('abort', abort, { once: true });
    const { signal } = controller;
    // No connection: the attempt transfers no bytes of a client.
    const meter = new StorageMeter(this.metering, principal, pinAttempt, { bytesRead: 0, bytesWritten: 0 });
    const account = principal.account.id;
    const reads = this.network.open(account);
    reads?.addProviders(providersOf(request.origins ?? []));
    let failure: unknown;
    try {
      await meter.admit();
      meter.watch((error) => controller.abort(error));
      setReadOptions(signal, {
        waitMs: this.#waitMs,
        work: meter.work,
        network: reads,
        denied: this.denied,
        follow: async (within) =>
          decodeFollowed(await this.codecs.run({ kind: 'follow', ...within }, { account, signal })),
      });
      this.denied.assertBlock(parseCid(request.cid));
      await this.sessions.run(principal, signal, async (session) => {
        const onSize = this.#reporter(request);
        await pinRequested(request, { pinning: this.pinning, session, content: this.#content(signal), signal, onSize });
      });
      await this.interceptor.countStored(principal);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      ended.removeEventListener('abort', abort);
      reads?.close();
      meter.end({ isFailed: failure !== undefined, failure });
    }
  }

  /** Time for one block: a search for providers takes longer than the wait for another process. */
  get #waitMs(): number {
    const localMs = blockWaitMs(this.settings);
    return this.network.isConnected ? Math.max(localMs, networkWaitMs) : localMs;
  }

  /** Reads of an attempt fetch missing blocks as those of requests do. Origins are providers of its session. */
  #content(signal: AbortSignal): ContentSource {
    const { network } = readOptionsOf(signal) ?? {};
    return {
      fetch: async (cid, { signal: ended }) => {
        inheritReadOptions(ended, signal);
        return await this.store.get(cid, { signal: ended });
      },
      ...(network !== undefined && {
        fetchSize: async (cid, { signal: ended }) => {
          inheritReadOptions(ended, signal);
          return await fetchSize(cid, ended);
        },
      }),
    };
  }

  /** Returns a callback that stores the progress of an attempt, at most once in {@link reportMs}. */
  #reporter({ account, id }: PinRequest): (size: DagSize) => void {
    let reportedAt = performance.now();
    return ({ blocks, bytes }) => {
      if (performance.now() - reportedAt < reportMs) return;
      reportedAt = performance.now();
      // A progress that cannot be stored is stored by the next report.
      this.requests.report(account, id, { blocks, bytes }).catch(() => {});
    };
  }

  /** Returns the account of a request with the key that made it. @throws ACCOUNT_NOT_FOUND, BILLING_CARD_REQUIRED */
  async #principalOf({ account: id, key }: PinRequest): Promise<Principal> {
    const account = await this.auth.account(id);
    const principal: Principal = { account, key: { id: key, name: key, policy: {}, reference: key } };
    if (account.status === 'suspended') {
      throw new AuthError('ACCOUNT_SUSPENDED', 'The account is suspended.', {
        hint: 'Ask the operator of this service.',
      });
    }
    this.auth.requireCard(principal);
    return principal;
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { storeStates } from '@cairn/embedded-store';
import { CallPool } from '@cairn/evm-executor/pool';
import { latencyBoundsMs, type Metering } from '@cairn/metering';
import { METERING } from '@cairn/metering/nest';
import {
  ApiDocuments,
  type Dependency,
  type FastHandler,
  type RawHttp,
  type Registry,
  registerCounter,
  registerGauge,
  registerUsageMetrics,
} from '@cairn/service-kit';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import { ChainLifecycle } from '../chains/chain-lifecycle.ts';
import { lagOf } from '../chains/lag-dependencies.ts';
import { Networks } from '../chains/networks.ts';
import { UpstreamLifecycle } from '../chains/upstream/upstream-lifecycle.ts';
import { UpstreamReports } from '../chains/upstream/upstream-reports.ts';
import { MethodCatalog } from '../methods/method-catalog.ts';
import type { GatewaySettings } from '../settings.ts';
import { HttpTransport } from './http-transport.ts';
import { MeteringInterceptor } from './metering-interceptor.ts';
import { ApiKeyWebSocketAdapter } from './web-socket-adapter.ts';
import { JsonRpcWebSocketGateway } from './web-socket-gateway.ts';

/** Routes raw requests and upgrades to the two transports, and reports health and metrics. */
@Injectable()
export class GatewayServer implements RawHttp {
  readonly #documents: ApiDocuments;

  constructor(
    @Inject(HttpTransport) private readonly http: HttpTransport,
    @Inject(ApiKeyWebSocketAdapter) private readonly upgrades: ApiKeyWebSocketAdapter,
    @Inject(JsonRpcWebSocketGateway) private readonly webSocket: JsonRpcWebSocketGateway,
    @Inject(Networks) private readonly networks: Networks,
    @Inject(ChainLifecycle) private readonly lifecycle: ChainLifecycle,
    @Inject(UpstreamLifecycle) private readonly upstreams: UpstreamLifecycle,
    @Inject(UpstreamReports) private readonly reports: UpstreamReports,
    @Inject(CallPool) private readonly pool: CallPool,
    @Inject(MeteringInterceptor) private readonly interceptor: MeteringInterceptor,
    @Inject(METERING) private readonly metering: Metering,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
    @Inject(MethodCatalog) catalog: MethodCatalog,
  ) {
    this.#documents = new ApiDocuments({
      path: '/openrpc.json',
      document: () => JSON.parse(catalog.openRpc.json),
    });
  }

  get plain(): FastHandler {
    return this.http.fast;
  }

  handleRequest(request: IncomingMessage, response: ServerResponse): boolean {
    return this.http.handle(request, response) || this.#documents.handle(request, response);
  }

  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    return this.upgrades.handleUpgrade(request, socket, head);
  }

  dependencies(): readonly Dependency[] {
    const { CAIRN_HOME: home, CAIRN_READY_LAG_BLOCKS_MAX: lagMax } = this.settings;
    const states = storeStates(home);
    const networks = { name: 'networks', problem: this.#notReady };
    // A read of a truncated file would end the process.
    const isReadable = states.every(({ problem }) => problem === undefined);
    return [...states, networks, ...(isReadable ? lagOf(this.networks.heads(), lagMax) : [])];
  }

  /** Networks with upstreams do not hold back imported ones, and fail by request while they have no head. */
  get #notReady(): string | undefined {
    const { lifecycle, networks, upstreams } = this;
    const hasLocal = networks.chains.some((chain) => chain.upstreams === undefined);
    return lifecycle.notReady ?? (hasLocal ? undefined : upstreams.notReady);
  }

  registerMetrics(metrics: Registry): void {
    this.reports.registerMetrics(metrics, this.upstreams.chains);
    const { networks, pool, webSocket } = this;
    const { ledger } = this.metering;
    registerUsageMetrics(metrics, { counts: () => ledger.totals(), boundsMs: latencyBoundsMs });
    const heads = () => networks.heads().map(({ network, head }) => [{ network }, head] as const);
    registerGauge(metrics, 'cairn_chain_head', 'Height of the newest block.', heads, ['network'], 'max');
    const lags = () =>
      networks.heads().flatMap(({ network, lag }) => (lag === undefined ? [] : [[{ network }, lag] as const]));
    registerGauge(metrics, 'cairn_chain_lag_blocks', 'Blocks that the source is ahead.', lags, ['network'], 'max');
    const calls = (state: 'running' | 'queued' | 'idle' | 'replaced') => () => pool.stats()[state];
    registerGauge(metrics, 'cairn_calls_running', 'Calls that workers are executing.', calls('running'));
    registerGauge(metrics, 'cairn_calls_queued', 'Calls that wait for a worker.', calls('queued'));
    registerGauge(metrics, 'cairn_call_workers_idle', 'Workers without a call.', calls('idle'));
    registerGauge(metrics, 'cairn_call_workers_replaced', 'Workers replaced since the start.', calls('replaced'));
    const { proofCounts } = this.interceptor;
    const proofs = { name: 'cairn_answers_proof_total', help: 'Answers, by the kind of their verification.' };
    registerCounter(metrics, { ...proofs, labelNames: ['network', 'proof'] }, () =>
      [...proofCounts].flatMap(([network, counts]) =>
        Object.entries(counts).map(([proof, count]) => [{ network, proof }, count] as const),
      ),
    );
    registerGauge(metrics, 'cairn_web_sockets', 'Open WebSocket connections.', () => webSocket.connections);
  }

  drain(): Promise<void> {
    return this.webSocket.drain();
  }
}

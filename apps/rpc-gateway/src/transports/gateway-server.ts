import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { storeStates } from '@cairn/embedded-store';
import type { Metering } from '@cairn/metering';
import { latencyBoundsMs } from '@cairn/metering';
import { METERING } from '@cairn/metering/nest';
import {
  ApiDocuments,
  type Dependency,
  type FastHandler,
  type RawHttp,
  type Registry,
  registerGauge,
  registerUsageMetrics,
} from '@cairn/service-kit';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import { ChainRegistry } from '../chains/chain-registry.ts';
import { openRpcJson } from '../methods/index.ts';
import type { GatewaySettings } from '../settings.ts';
import { HttpTransport } from './http-transport.ts';
import { WebSocketTransport } from './web-socket-transport.ts';

/** Two doors to one dispatcher. */
@Injectable()
export class GatewayServer implements RawHttp {
  readonly #documents = new ApiDocuments({ path: '/openrpc.json', document: () => JSON.parse(openRpcJson().json) });

  constructor(
    @Inject(HttpTransport) private readonly http: HttpTransport,
    @Inject(WebSocketTransport) private readonly webSocket: WebSocketTransport,
    @Inject(ChainRegistry) private readonly registry: ChainRegistry,
    @Inject(METERING) private readonly metering: Metering,
    @Inject(SETTINGS) private readonly settings: GatewaySettings,
  ) {}

  get plain(): FastHandler {
    return this.http.plain;
  }

  handleRequest(request: IncomingMessage, response: ServerResponse): boolean {
    return this.http.handle(request, response) || this.#documents.handle(request, response);
  }

  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    return this.webSocket.handle(request, socket, head);
  }

  dependencies(): readonly Dependency[] {
    return [...storeStates(this.settings.CAIRN_HOME), { name: 'networks', problem: this.registry.notReady }];
  }

  registerMetrics(metrics: Registry): void {
    const { registry, webSocket } = this;
    const { ledger } = this.metering;
    registerUsageMetrics(metrics, { counts: () => ledger.totals(), boundsMs: latencyBoundsMs });
    const heads = () => registry.heads().map(({ network, head }) => [{ network }, head] as const);
    registerGauge(metrics, 'cairn_chain_head', 'Height of the newest block.', heads, ['network']);
    const lags = () =>
      registry.heads().flatMap(({ network, lag }) => (lag === undefined ? [] : [[{ network }, lag] as const]));
    registerGauge(metrics, 'cairn_chain_lag_blocks', 'Blocks that the source is ahead.', lags, ['network']);
    const calls = (state: 'running' | 'queued' | 'idle' | 'replaced') => () => registry.load?.[state];
    registerGauge(metrics, 'cairn_calls_running', 'Calls that workers execute now.', calls('running'));
    registerGauge(metrics, 'cairn_calls_queued', 'Calls that wait for a worker.', calls('queued'));
    registerGauge(metrics, 'cairn_call_workers_idle', 'Workers without a call.', calls('idle'));
    registerGauge(
      metrics,
      'cairn_call_workers_replaced',
      'Workers that were replaced since the start.',
      calls('replaced'),
    );
    registerGauge(metrics, 'cairn_web_sockets', 'WebSocket connections.', () => webSocket.connections);
  }

  drain(): Promise<void> {
    return this.webSocket.drain();
  }
}

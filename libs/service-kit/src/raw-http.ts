import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Registry } from 'prom-client';
import type { Dependency } from './health.ts';
import type { FastHandler } from './http-fast-path/fast-request.ts';

/**
 * Handlers of a service on the HTTP server's own events. Byte streams and hot paths do not pass through body parsers
 * and interceptors. Requests that they do not take go to Nest's controllers.
 */
export interface RawHttp {
  /** Takes a request, or returns false to leave it to Nest. Must not throw. */
  handleRequest(request: IncomingMessage, response: ServerResponse): boolean;
  /** Handler of plain requests, before HTTP objects are created: see `HttpFastPath`. */
  readonly plain?: FastHandler;
  /** Concurrent connections. Further ones are closed when they are opened. Default: no limit. */
  readonly connectionsMax?: number;
  /** Takes a protocol upgrade, or returns false to have it refused. */
  handleUpgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  /** Dependencies of the service. Default: none. */
  dependencies?(): readonly Dependency[];
  /** Adds the service's own metrics. */
  registerMetrics?(registry: Registry): void;
  /** Ends long-lived connections. Called when the service accepts no new ones. */
  drain?(): Promise<void>;
}

/** Injection token of an application's {@link RawHttp}. */
export const RAW_HTTP = Symbol('RAW_HTTP');

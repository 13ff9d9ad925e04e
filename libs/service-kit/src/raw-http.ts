import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Registry } from 'prom-client';
import type { Dependency } from './health.ts';
import type { FastHandler } from './http-fast-path/fast-request.ts';

/**
 * What a service answers itself, straight from the HTTP server: byte streams and hot paths do not pass through body
 * parsers and interceptors. Whatever it leaves goes on to Nest's controllers.
 */
export interface RawHttp {
  /** Takes a request, or returns false to leave it to Nest. Must not throw. */
  handleRequest(request: IncomingMessage, response: ServerResponse): boolean;
  /** Requests that are answered before HTTP's objects are made for them: see `HttpFastPath`. */
  readonly plain?: FastHandler;
  /** Connections at the same time; more are closed when they are opened. Default: no limit. */
  readonly connectionsMax?: number;
  /** Takes a protocol upgrade, or returns false to have it refused. */
  handleUpgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  /** What the service stands on. Default: nothing. */
  dependencies?(): readonly Dependency[];
  /** Adds what it can tell of itself to the metrics. */
  registerMetrics?(registry: Registry): void;
  /** Ends long-lived connections; called when the service stops taking new ones. */
  drain?(): Promise<void>;
}

/** The token under which an application provides its {@link RawHttp}. */
export const RAW_HTTP = Symbol('RAW_HTTP');

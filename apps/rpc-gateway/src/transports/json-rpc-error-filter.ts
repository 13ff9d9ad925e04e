import { errorChain, errorText, isCairnError } from '@cairn/errors';
import { errorLine } from '@cairn/jsonrpc-core';
import type { Logger } from '@cairn/service-kit';
import { LOGGER } from '@cairn/service-kit/nest';
import { engineFailureOf } from '@cairn/stores';
import { Inject, Injectable } from '@nestjs/common';
import { TransportError } from './transport-error.ts';

/** Shortest time in milliseconds between two log lines about stores that do not answer. */
const engineLogMs = 1000;

/** An error of a whole request: HTTP status, header fields and a JSON-RPC error body. */
export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Turns errors outside single calls into responses. Errors of the gateway itself are logged, and the client gets a reference to the
 * log line only.
 */
@Injectable()
export class JsonRpcErrorFilter {
  #engineLoggedAt = Number.NEGATIVE_INFINITY;

  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  catch(thrown: unknown, requestId: string): ErrorResponse {
    const error = transportErrorFrom(thrown);
    if (engineFailureOf(thrown) !== undefined) this.#logEngine(thrown, requestId);
    const known = error instanceof TransportError ? error : this.#internal(error, requestId);
    return {
      status: known.status,
      headers: { 'content-type': 'application/json', ...known.headers },
      body: errorLine('null', known),
    };
  }

  /** Logs a store that does not answer, at most once per second: each request fails meanwhile. */
  #logEngine(error: unknown, requestId: string): void {
    const now = performance.now();
    if (now - this.#engineLoggedAt < engineLogMs) return;
    this.#engineLoggedAt = now;
    this.logger.warn({ requestId, causes: errorChain(error) }, 'a store does not answer');
  }

  #internal(error: unknown, requestId: string): TransportError {
    this.logger.error({ requestId, causes: errorChain(error) }, 'request failed');
    return new TransportError({
      status: 500,
      name: 'internal',
      message: `Internal error (reference ${requestId}).`,
    });
  }
}

/**
 * Converts a reached limit to a TransportError with status 429, and a store that does not answer to one with 503. Other errors
 * are returned unchanged.
 */
export function transportErrorFrom(error: unknown): unknown {
  const engine = engineFailureOf(error);
  if (engine?.retryAfterSeconds !== undefined)
    return new TransportError({
      status: engine.status,
      name: 'unavailable',
      message: `${engine.message} ${engine.hint}`,
      headers: { 'retry-after': String(engine.retryAfterSeconds) },
      data: { retryAfterSeconds: engine.retryAfterSeconds },
    });
  if (!isCairnError(error, 'LIMIT_REACHED')) return error;
  return new TransportError({
    status: 429,
    name: 'limit',
    message: errorText(error),
    headers: { 'retry-after': String(error.details.retryAfterSeconds) },
    data: error.details,
  });
}

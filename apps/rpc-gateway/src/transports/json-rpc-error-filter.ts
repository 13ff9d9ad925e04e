import { errorChain, errorText, isCairnError } from '@cairn/errors';
import { errorLine } from '@cairn/jsonrpc-core';
import type { Logger } from '@cairn/service-kit';
import { LOGGER } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import { TransportError } from './transport-error.ts';

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
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  catch(thrown: unknown, requestId: string): ErrorResponse {
    const error = transportErrorFrom(thrown);
    const known = error instanceof TransportError ? error : this.#internal(error, requestId);
    return {
      status: known.status,
      headers: { 'content-type': 'application/json', ...known.headers },
      body: errorLine('null', known),
    };
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

/** Converts a reached limit to a TransportError with status 429. Other errors are returned unchanged. */
export function transportErrorFrom(error: unknown): unknown {
  if (!isCairnError(error, 'LIMIT_REACHED')) return error;
  return new TransportError({
    status: 429,
    name: 'limit',
    message: errorText(error),
    headers: { 'retry-after': String(error.details.retryAfterSeconds) },
    data: error.details,
  });
}

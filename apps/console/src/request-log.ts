import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SignedIn } from '@cairn/auth';
import { type Logger, type RequestSpan, requestId, type Tracing } from '@cairn/service-kit';
import { LOGGER, TRACING } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';

interface Current {
  readonly id: string;
  readonly span: RequestSpan | undefined;
}

/** Fields that guard and router set on a request. */
interface Routed extends IncomingMessage {
  readonly route?: { readonly path?: string };
  readonly signedIn?: SignedIn;
}

/** One log line for each API request, and the trace headers for other services. */
@Injectable()
export class RequestLog {
  readonly #current = new AsyncLocalStorage<Current>();

  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(TRACING) private readonly tracing: Tracing,
  ) {}

  /** Starts the asynchronous context of a request. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    const start = performance.now();
    const id = requestId(request);
    const span = this.tracing.start(request.headers);
    response.setHeader('x-request-id', id);
    this.#current.enterWith({ id, span });
    response.once('close', () => {
      const { method = '', route, signedIn }: Routed = request;
      const status = response.headersSent ? response.statusCode : 499;
      const operation = `${method} ${route?.path ?? 'unknown'}`;
      const attributes = { 'http.request.method': method, 'http.route': route?.path, 'cairn.request_id': id };
      span?.end({ name: operation, status, attributes });
      this.logger.info(
        {
          requestId: id,
          traceId: span?.traceId,
          operation,
          member: signedIn?.member.id,
          account: signedIn?.member.accountId,
          status,
          durationMs: Math.round((performance.now() - start) * 10) / 10,
        },
        'request',
      );
    });
  }

  /** Header fields that carry the request id and the span to another service. */
  get outgoing(): Readonly<Record<string, string>> {
    const current = this.#current.getStore();
    return current === undefined ? {} : { 'x-request-id': current.id, ...current.span?.outgoing };
  }
}

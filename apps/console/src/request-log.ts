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

/** What guard and router leave on a request. */
interface Routed extends IncomingMessage {
  readonly route?: { readonly path?: string };
  readonly signedIn?: SignedIn;
}

/** One line in the log for each request of the API, and what other services are told of it. */
@Injectable()
export class RequestLog {
  readonly #current = new AsyncLocalStorage<Current>();

  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(TRACING) private readonly tracing: Tracing,
  ) {}

  /** Begins a request: all that follows in this turn and from it is part of it. */
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

  /** Header fields by which another service knows this request. */
  get outgoing(): Readonly<Record<string, string>> {
    const current = this.#current.getStore();
    return current === undefined ? {} : { 'x-request-id': current.id, ...current.span?.outgoing };
  }
}

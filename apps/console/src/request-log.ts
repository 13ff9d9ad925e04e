import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SignedIn } from '@cairn/auth';
import { type RequestRecord, RequestRecorder } from '@cairn/service-kit';
import { Inject, Injectable } from '@nestjs/common';

/** Properties that guard and router set on a request. */
interface RoutedRequest extends IncomingMessage {
  readonly route?: { readonly path?: string };
  readonly signedIn?: SignedIn;
}

/** Records each request of the API, and passes its id and trace on to the other services. */
@Injectable()
export class RequestLog {
  readonly #current = new AsyncLocalStorage<RequestRecord>();

  constructor(@Inject(RequestRecorder) private readonly recorder: RequestRecorder) {}

  /** Starts the record of a request, which ends with its response. Calls from this turn on belong to the request. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    const record = this.recorder.start(request.headers);
    response.setHeader('x-request-id', record.id);
    this.#current.enterWith(record);
    response.once('close', () => {
      const { method = '', route, signedIn }: RoutedRequest = request;
      const operation = `${method} ${route?.path ?? 'unknown'}`;
      record.end({
        name: operation,
        // 499: the client closed the connection before the response.
        status: response.headersSent ? response.statusCode : 499,
        attributes: record.span && { 'http.request.method': method, 'http.route': route?.path },
        fields: { operation, member: signedIn?.member.id, account: signedIn?.member.accountId },
      });
    });
  }

  /** Header fields that identify this request to another service. */
  get outgoing(): Readonly<Record<string, string>> {
    const record = this.#current.getStore();
    return record === undefined ? {} : { 'x-request-id': record.id, ...record.span?.outgoing };
  }
}

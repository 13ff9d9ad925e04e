import type { Principal } from '@cairn/auth';
import type { Metering } from '@cairn/metering';
import { METERING } from '@cairn/metering/nest';
import { Cors, type FastAnswer, type FastRequest, RequestRecorder } from '@cairn/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { isServiceFault } from './kubo-error-filter.ts';
import { type MeteredCommand, StorageMeter } from './storage-meter.ts';
import type { StorageRequest } from './storage-request.ts';
import { errorTrailer } from './write.ts';

type RequestRecord = StorageRequest['record'];

/** A request on the fast path whose account is within its limits. */
export interface SmallRequest {
  readonly command: MeteredCommand;
  readonly record: RequestRecord;
  readonly meter: StorageMeter;
  readonly principal: Principal;
}

export interface SmallAnswer extends Pick<FastAnswer, 'status' | 'body'> {
  readonly headers: Record<string, string>;
}

/** Recording, admission and responses of the requests that take a fast path. */
@Injectable()
export class SmallRequests {
  // Pages with an Origin do not take the fast path; those without one are refused by the other path.
  readonly #cors = new Cors({ origins: undefined, requestHeaders: [], exposedHeaders: [] });

  constructor(
    @Inject(METERING) private readonly metering: Metering,
    @Inject(RequestRecorder) private readonly recorder: RequestRecorder,
  ) {}

  /** Starts the record of a request; `undefined` for one of a page of another origin. */
  start({ headers }: FastRequest): RequestRecord | undefined {
    return this.#cors.isForeign(headers) ? undefined : this.recorder.start(headers);
  }

  /** Admits a request under the limits of its account. Returns `undefined`, and counts nothing, for a request over a limit. */
  async admit(
    record: RequestRecord,
    { socket }: FastRequest,
    { principal, command }: Pick<SmallRequest, 'principal' | 'command'>,
  ): Promise<SmallRequest | undefined> {
    const meter = new StorageMeter(this.metering, principal, command, socket);
    try {
      await meter.admit();
    } catch {
      meter.abandon();
      return undefined;
    }
    record.caller = principal;
    record.meter = meter;
    return { command, record, meter, principal };
  }

  /** Completes a response, in place, with the header fields that every one has. The record ends when it is sent. */
  answer({ command, record, meter }: SmallRequest, { status, headers, body }: SmallAnswer): FastAnswer {
    const { policy, rateLimit } = meter.limits;
    headers['x-request-id'] = record.id;
    headers['x-content-type-options'] = 'nosniff';
    if (policy !== '') {
      headers['ratelimit-policy'] = policy;
      headers.ratelimit = rateLimit;
    }
    return {
      status,
      headers,
      trailer: errorTrailer,
      body,
      onSent: (isSent) =>
        record.end({
          name: `POST /api/v0/${command.name}`,
          status: isSent ? status : 499,
          isFailed: !isSent || status !== 200,
          isServiceFault: isServiceFault(record.failure) && isSent,
          attributes: record.span && { 'http.request.method': 'POST', 'http.route': `/api/v0/${command.name}` },
          fields: { command: command.name, isComplete: isSent },
        }),
    };
  }
}

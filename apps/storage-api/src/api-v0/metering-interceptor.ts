import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Principal } from '@cairn/auth';
import type { Metering } from '@cairn/metering';
import { METERING } from '@cairn/metering/nest';
import { Mfs } from '@cairn/mfs';
import { Pinning } from '@cairn/pinning';
import { RequestRecorder } from '@cairn/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { isStoreFailure } from './error-policy.ts';
import { isServiceFault } from './kubo-error-filter.ts';
import { type MeteredCommand, StorageMeter } from './storage-meter.ts';
import type { StorageRequest } from './storage-request.ts';

/** Records each request, applies the limits of its account, and ends it with its usage and its log line. */
@Injectable()
export class MeteringInterceptor {
  /** Counts of stored bytes that begin in the next turn, by account. */
  readonly #counts = new Map<string, Promise<void>>();

  constructor(
    @Inject(METERING) private readonly metering: Metering,
    @Inject(RequestRecorder) private readonly recorder: RequestRecorder,
    @Inject(Pinning) private readonly pinning: Pinning,
    @Inject(Mfs) private readonly mfs: Mfs,
  ) {}

  /** Starts the record of a request, which ends with its response. */
  start(request: IncomingMessage, response: ServerResponse, prefix = '/api/v0/'): StorageRequest {
    const record = this.recorder.start<StorageMeter, Principal>(request.headers);
    const started: StorageRequest = { request, response, record, prefix, command: 'unknown' };
    response.setHeader('x-request-id', record.id);
    response.once('close', () => this.#end(started));
    return started;
  }

  /** Admits a request under the limits of its account, and sets their header fields. @throws LIMIT_REACHED */
  async admit({ request, response, record }: StorageRequest, principal: Principal, command: MeteredCommand) {
    const meter = new StorageMeter(this.metering, principal, command, request.socket);
    record.meter = meter;
    try {
      await meter.admit();
    } finally {
      const { policy, rateLimit } = meter.limits;
      if (policy !== '') response.setHeader('ratelimit-policy', policy).setHeader('ratelimit', rateLimit);
    }
    return meter;
  }

  /**
   * Reports the stored bytes of an account to the ledger, after a command that may have changed them. Commands that end in one
   * turn of the event loop, such as adds in one commit, share a count.
   */
  async countStored({ account: { id } }: Principal): Promise<void> {
    let count = this.#counts.get(id);
    if (count === undefined) {
      count = nextTurn().then(() => {
        this.#counts.delete(id);
        return this.#count(id);
      });
      this.#counts.set(id, count);
    }
    await count;
  }

  async #count(id: string): Promise<void> {
    try {
      // Awaited together: a rejection that nothing awaits yet would end the process.
      const [pins, claimed, files] = await Promise.all([
        this.pinning.usage(id),
        this.pinning.claimed(id),
        this.mfs.usage(id),
      ]);
      this.metering.ledger.storedBytes(id, pins.bytes + claimed.bytes + files);
    } catch (error) {
      // The next change of the account counts again. A store that is away now must not replace the outcome of the request.
      if (!isStoreFailure(error)) throw error;
    }
  }

  #end({ request, response, record, prefix, command }: StorageRequest): void {
    const { failure } = record;
    const route = `${prefix}${command}`;
    const isComplete = response.writableFinished;
    record.end({
      name: `${request.method} ${route}`,
      // 499: the client closed the connection before the response.
      status: response.headersSent ? response.statusCode : 499,
      isFailed: failure !== undefined || !isComplete || response.statusCode >= 400,
      isServiceFault: isServiceFault(failure) && !request.destroyed,
      attributes: record.span && { 'http.request.method': request.method, 'http.route': route },
      fields: { command, isComplete },
    });
  }
}

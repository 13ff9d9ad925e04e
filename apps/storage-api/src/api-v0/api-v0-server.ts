import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type Auth,
  FailureGate,
  type Principal,
  parseBasicCredentials,
  requireClient,
  requireStorage,
} from '@cairn/auth';
import { AUTH } from '@cairn/auth/nest';
import { errorChain, isCairnError } from '@cairn/errors';
import { latencyBoundsMs, type Metering } from '@cairn/metering';
import { METERING } from '@cairn/metering/nest';
import type { Mfs } from '@cairn/mfs';
import { MFS } from '@cairn/mfs/nest';
import type { Pinning } from '@cairn/pinning';
import { PINNING } from '@cairn/pinning/nest';
import {
  ApiDocuments,
  type Dependency,
  type Logger,
  type RawHttp,
  type Registry,
  type RequestSpan,
  registerUsageMetrics,
  requestId,
  type Tracing,
} from '@cairn/service-kit';
import { LOGGER, TRACING } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError, apiErrorFrom, sendError } from './api-error.ts';
import { COMMANDS, type Command } from './command.ts';
import { discardBody } from './discard-body.ts';
import { openApiDocument } from './open-api.ts';
import { parseDuration, parseOptions } from './options.ts';
import { StorageMeter } from './storage-meter.ts';
import { StorageState } from './storage-state.ts';
import { WAITS, type Waits } from './waits.ts';
import { failStream } from './write.ts';

const prefix = '/api/v0/';
const queryCharactersMax = 16_384;

/** What one request has shown of itself, for its line in the log. */
interface Trace {
  readonly id: string;
  readonly start: number;
  readonly span: RequestSpan | undefined;
  command: string;
  principal: Principal | undefined;
  meter: StorageMeter | undefined;
  failure: unknown;
}

/**
 * Everything under /api/v0, straight from the HTTP server: finds the command, asks who calls before a byte of the body
 * is read, parses the options, runs it, and turns what it throws into Kubo's error body.
 */
@Injectable()
export class ApiV0Server implements RawHttp {
  readonly #commands: ReadonlyMap<string, Command>;
  readonly #failures = new FailureGate();
  readonly #documents: ApiDocuments;

  constructor(
    @Inject(COMMANDS) commands: readonly Command[],
    @Inject(AUTH) private readonly auth: Auth,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(WAITS) private readonly waits: Waits,
    @Inject(METERING) private readonly metering: Metering,
    @Inject(PINNING) private readonly pinning: Pinning,
    @Inject(MFS) private readonly mfs: Mfs,
    @Inject(StorageState) private readonly state: StorageState,
    @Inject(TRACING) private readonly tracing: Tracing,
  ) {
    this.#commands = new Map(commands.map((command) => [command.name, command]));
    this.#documents = new ApiDocuments({ path: '/openapi.json', document: () => openApiDocument(commands) });
  }

  handleRequest(request: IncomingMessage, response: ServerResponse): boolean {
    const url = request.url ?? '';
    if (!url.startsWith(prefix)) return this.#documents.handle(request, response);
    const trace: Trace = {
      id: requestId(request),
      start: performance.now(),
      span: this.tracing.start(request.headers),
      command: '',
      principal: undefined,
      meter: undefined,
      failure: undefined,
    };
    response.setHeader('x-request-id', trace.id);
    response.once('close', () => this.#log(trace, request, response));
    this.#answer(request, response, trace).catch((error: unknown) => this.#fail(error, request, response, trace));
    return true;
  }

  dependencies(): readonly Dependency[] {
    return this.state.dependencies();
  }

  registerMetrics(metrics: Registry): void {
    registerUsageMetrics(metrics, { counts: () => this.metering.ledger.totals(), boundsMs: latencyBoundsMs });
    this.state.registerMetrics(metrics);
  }

  async #answer(request: IncomingMessage, response: ServerResponse, trace: Trace): Promise<void> {
    const url = request.url ?? '';
    if (url.length > queryCharactersMax)
      throw new ApiError(414, `the URL is longer than ${queryCharactersMax} characters`);
    const at = url.indexOf('?');
    const name = url.slice(prefix.length, at === -1 ? undefined : at).replace(/\/$/, '');
    const command = this.#commands.get(name);
    trace.command = command?.name ?? 'unknown';
    if (request.method !== 'POST') throw new ApiError(405, 'this API takes POST only', { allow: 'POST' });
    if (command === undefined) throw new ApiError(404, `there is no command ${JSON.stringify(name.slice(0, 64))}`);
    trace.principal = await this.#authenticate(request, command);
    await this.#admit(trace, trace.principal, command, request, response);
    const query = new URLSearchParams(at === -1 ? '' : url.slice(at + 1));
    const args = query.getAll('arg');
    checkArgs(command, args);
    const options = parseOptions(command.options, query);
    const { signal, release } = this.#lifetime(response, query.get('timeout'), trace.meter);
    try {
      if (request.headers.expect !== undefined) response.writeContinue();
      await command.run({ principal: trace.principal, args, options, request, response, signal });
    } finally {
      release();
      if (command.scope !== 'read') await this.#countStored(trace.principal);
    }
  }

  /** Holds a request to the limits of its account. @throws LIMIT_REACHED */
  async #admit(
    trace: Trace,
    principal: Principal,
    command: Command,
    { socket }: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const meter = new StorageMeter(this.metering, principal, command, socket);
    trace.meter = meter;
    try {
      await meter.admit();
    } finally {
      const { policy, rateLimit } = meter.limits;
      if (policy !== '') response.setHeader('ratelimit-policy', policy).setHeader('ratelimit', rateLimit);
    }
  }

  /** What the account holds now, for the ledger. */
  async #countStored({ account: { id } }: Principal): Promise<void> {
    const { bytes } = await this.pinning.usage(id);
    this.metering.ledger.storedBytes(id, bytes + (await this.mfs.usage(id)));
  }

  /** A signal that ends with the connection and with the request's own `timeout`. */
  #lifetime(response: ServerResponse, timeout: string | null, meter: StorageMeter | undefined) {
    const controller = new AbortController();
    meter?.watch((error) => controller.abort(error));
    const onClose = () => controller.abort(new ApiError(499, 'the client closed the connection'));
    response.once('close', onClose);
    const milliseconds = timeout ? parseDuration('timeout', timeout) : undefined;
    const timer =
      milliseconds === undefined
        ? undefined
        : setTimeout(
            () => controller.abort(new ApiError(500, `context deadline exceeded: timeout=${timeout}`)),
            milliseconds,
          );
    this.waits.set(controller.signal, milliseconds);
    return {
      signal: controller.signal,
      release: () => {
        response.off('close', onClose);
        clearTimeout(timer);
      },
    };
  }

  async #authenticate({ headers, socket }: IncomingMessage, { scope }: Command): Promise<Principal> {
    const credentials = parseBasicCredentials(headers.authorization) ?? { keyId: '', secret: '' };
    const { remoteAddress: address } = socket;
    this.#failures.check(credentials.keyId, address);
    const principal = await this.auth.authenticate(credentials).catch((error: unknown) => {
      if (isCairnError(error, 'CREDENTIALS_INVALID')) this.#failures.failed(credentials.keyId, address);
      throw error;
    });
    this.#failures.succeeded(credentials.keyId, address);
    const { policy } = principal.key;
    requireClient(policy, { address, origin: headers.origin });
    requireStorage(policy, scope);
    this.auth.requireCard(principal);
    return principal;
  }

  #fail(error: unknown, request: IncomingMessage, response: ServerResponse, trace: Trace): void {
    trace.failure = error;
    if (response.destroyed) return;
    const told =
      apiErrorFrom(error) ??
      new ApiError(500, `internal error; the log of the service has it under request id ${trace.id}`);
    // Closed at once, the connection would be reset by what the client still sends, and the answer lost with it.
    if (!response.headersSent && !request.complete) response.setHeader('connection', 'keep-alive');
    if (response.headersSent) failStream(response, told.message);
    else sendError(response, told);
    if (!request.complete) discardBody(request);
  }

  #log(trace: Trace, request: IncomingMessage, response: ServerResponse): void {
    const { id, start, span, command, principal, meter, failure } = trace;
    const isFailed = failure !== undefined || !response.writableFinished || response.statusCode >= 400;
    meter?.end({ isFailed, failure });
    const status = response.headersSent ? response.statusCode : 499;
    const route = `/api/v0/${command}`;
    span?.end({
      name: `${request.method} ${route}`,
      status,
      attributes: { 'http.request.method': request.method, 'http.route': route, 'cairn.request_id': id },
    });
    const line = {
      requestId: id,
      traceId: span?.traceId,
      command,
      account: principal?.account.id,
      key: principal?.key.reference,
      credits: meter?.credits,
      bytesIn: meter?.bytesIn,
      bytesOut: meter?.bytesOut,
      status,
      isComplete: response.writableFinished,
      durationMs: Math.round((performance.now() - start) * 10) / 10,
      ...(failure !== undefined && { causes: errorChain(failure) }),
    };
    if (failure !== undefined && apiErrorFrom(failure) === undefined && !request.destroyed) {
      this.logger.error({ ...line, stack: failure instanceof Error ? failure.stack : undefined }, 'request failed');
    } else this.logger.info(line, 'request');
  }
}

function checkArgs({ args }: Command, given: readonly string[]): void {
  if (given.length < args.min) throw new ApiError(400, `argument ${JSON.stringify(args.name)} is required`);
  if (given.length > args.max) throw new ApiError(400, `expected ${args.max} arg at most, got ${given.length}`);
}

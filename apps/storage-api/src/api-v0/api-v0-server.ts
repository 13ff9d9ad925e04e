import type { IncomingMessage, ServerResponse } from 'node:http';
import { Auth, FailureGate, type Principal, parseBasicCredentials, requireClient, requireStorage } from '@cairn/auth';
import { errorChain, isCairnError } from '@cairn/errors';
import { latencyBoundsMs, type Metering } from '@cairn/metering';
import { METERING } from '@cairn/metering/nest';
import { Mfs } from '@cairn/mfs';
import { Pinning } from '@cairn/pinning';
import {
  ApiDocuments,
  announceEarlyAnswer,
  Cors,
  type Dependency,
  discardBody,
  type Logger,
  type RawHttp,
  type Registry,
  type RequestSpan,
  registerUsageMetrics,
  requestId,
  type Tracing,
} from '@cairn/service-kit';
import { LOGGER, SETTINGS, TRACING } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import { CodecPool } from '../codec-pool/codec-pool.ts';
import type { StorageSettings } from '../settings.ts';
import { ApiError, apiErrorFrom, isStoreFailure, PlainApiError, sendError } from './api-error.ts';
import { hasBodyArgs, readBodyArgs } from './body-args.ts';
import { COMMANDS, type Command } from './command.ts';
import { commandLineOptions } from './command-line-options.ts';
import { parseGlobalOptions, upgradeCids } from './global-options.ts';
import { boundaryOf } from './multipart.ts';
import { openApiDocument } from './open-api.ts';
import { parseOptions } from './options.ts';
import { followInPool } from './paths.ts';
import { checkCidBase } from './print-cid.ts';
import { startLifetime } from './request-lifetime.ts';
import { checkArgs, RequestTargets } from './request-target.ts';
import { StorageMeter } from './storage-meter.ts';
import { StorageState } from './storage-state.ts';
import { WAITS, type Waits } from './waits.ts';
import { endLines, failStream } from './write.ts';

const prefix = '/api/v0/';
const methods = 'OPTIONS, POST';
const queryCharactersMax = 16_384;

/** Header fields that web pages may send and read where they may call (`CAIRN_STORAGE_CORS_ORIGINS`). */
const requestHeaders = ['authorization', 'content-type', 'x-requested-with', 'x-request-id'];
const exposedHeaders = [
  'x-stream-output',
  'x-chunked-output',
  'x-content-length',
  'x-request-id',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
];

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
  readonly #targets: RequestTargets;
  readonly #failures = new FailureGate();
  readonly #documents: ApiDocuments;
  readonly #cors: Cors;

  constructor(
    @Inject(COMMANDS) commands: readonly Command[],
    @Inject(Auth) private readonly auth: Auth,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(WAITS) private readonly waits: Waits,
    @Inject(METERING) private readonly metering: Metering,
    @Inject(Pinning) private readonly pinning: Pinning,
    @Inject(Mfs) private readonly mfs: Mfs,
    @Inject(StorageState) private readonly state: StorageState,
    @Inject(TRACING) private readonly tracing: Tracing,
    @Inject(CodecPool) private readonly codecs: CodecPool,
    @Inject(SETTINGS) settings: StorageSettings,
  ) {
    this.#targets = new RequestTargets(commands);
    this.#documents = new ApiDocuments({ path: '/openapi.json', document: () => openApiDocument(commands) });
    this.#cors = new Cors({ origins: settings.CAIRN_STORAGE_CORS_ORIGINS, requestHeaders, exposedHeaders });
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
    this.#cors.setHeaders(request, response);
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
    trace.command = 'unknown';
    if (request.method === 'OPTIONS') return void response.writeHead(204, { allow: methods }).end();
    if (request.method !== 'POST') throw new PlainApiError(405, '405 - Method Not Allowed', { allow: methods });
    if (this.#cors.isForeign(request.headers)) throw new PlainApiError(403, '403 - Forbidden');
    const { command, pathArgs } = this.#targets.find(url.slice(prefix.length, at === -1 ? undefined : at));
    if (command === undefined) return endLines(response);
    trace.command = command.name;
    trace.principal = await this.#authenticate(request, command);
    const meter = await this.#admit(trace, trace.principal, command, request, response);
    const query = new URLSearchParams(at === -1 ? '' : url.slice(at + 1));
    const given = [...pathArgs, ...query.getAll('arg')];
    // In Kubo's order: of two faults the same one is reported. Where an argument is missing, the body is not looked at.
    if (command.file !== undefined && given.length >= command.args.min) boundaryOf(request, command.file);
    const chosen = parseGlobalOptions(query);
    upgradeCids(query, chosen);
    parseOptions(commandLineOptions[command.name] ?? {}, query);
    const options = parseOptions(command.options, query);
    const lifetime = { ...chosen, waits: this.waits, meter };
    const readsArgs = hasBodyArgs(command, given, request);
    if (!readsArgs) checkArgs(command, given);
    if ('cid-base' in options) checkCidBase(options['cid-base']);
    const { signal, release } = startLifetime(response, lifetime);
    followInPool(signal, this.codecs, trace.principal.account.id);
    try {
      if (request.headers.expect !== undefined) response.writeContinue();
      const further = readsArgs ? await readBodyArgs(command, request, signal) : [];
      const args = checkArgs(command, [...given, ...further]);
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
  ): Promise<StorageMeter> {
    const meter = new StorageMeter(this.metering, principal, command, socket);
    trace.meter = meter;
    try {
      await meter.admit();
    } finally {
      const { policy, rateLimit } = meter.limits;
      if (policy !== '') response.setHeader('ratelimit-policy', policy).setHeader('ratelimit', rateLimit);
    }
    return meter;
  }

  /** What the account holds now, for the ledger. */
  async #countStored({ account: { id } }: Principal): Promise<void> {
    // Awaited together: a rejection that nothing awaits yet would end the process.
    const [pins, claimed, files] = await Promise.all([
      this.pinning.usage(id),
      this.pinning.claimed(id),
      this.mfs.usage(id),
    ]);
    this.metering.ledger.storedBytes(id, pins.bytes + claimed.bytes + files);
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
    announceEarlyAnswer(request, response);
    if (response.headersSent) failStream(response, told.message);
    else sendError(response, told);
    discardBody(request);
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
    const isOurs = failure !== undefined && (isStoreFailure(failure) || apiErrorFrom(failure) === undefined);
    if (isOurs && !request.destroyed) {
      this.logger.error({ ...line, stack: failure instanceof Error ? failure.stack : undefined }, 'request failed');
    } else this.logger.info(line, 'request');
  }
}

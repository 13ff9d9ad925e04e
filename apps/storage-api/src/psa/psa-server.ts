import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Principal, parseBearerCredentials } from '@cairn/auth';
import { announceEarlyAnswer, Cors, discardBody } from '@cairn/service-kit';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-v0/api-error.ts';
import { ApiKeyGuard } from '../api-v0/api-key-guard.ts';
import { MeteringInterceptor } from '../api-v0/metering-interceptor.ts';
import { startLifetime } from '../api-v0/request-lifetime.ts';
import type { StorageRequest } from '../api-v0/storage-request.ts';
import { CodecPool } from '../codec-pool/codec-pool.ts';
import type { StorageSettings } from '../settings.ts';
import { PinRequests } from './pin-requests.ts';
import { psaErrorFrom } from './psa-error.ts';
import { type PsaOperation, psaOperations } from './psa-operations.ts';
import { readJsonBody } from './read-json-body.ts';
import { Webhooks } from './webhooks.ts';

const prefix = '/psa/';
const urlCharactersMax = 16_384;
const methods = ['GET', 'POST', 'PUT', 'DELETE'];
const requestHeaders = ['authorization', 'content-type', 'x-request-id'];
const exposedHeaders = ['x-request-id', 'ratelimit', 'ratelimit-policy', 'retry-after'];

/** Target of a request: the list of pins, or one pin. */
interface PsaTarget {
  readonly operations: Readonly<Partial<Record<string, PsaOperation>>>;
  readonly id: string | undefined;
}

/** Answer to a request; without a body where there is none. */
interface PsaAnswer {
  readonly status: number;
  readonly body?: unknown;
}

/**
 * Serves the IPFS Pinning Service API 1.0.0 under /psa (https://ipfs.github.io/pinning-services-api-spec/). Guard, limits and
 * metering are those of /api/v0.
 */
@Injectable()
export class PsaServer {
  readonly #cors: Cors;

  constructor(
    @Inject(MeteringInterceptor) private readonly interceptor: MeteringInterceptor,
    @Inject(ApiKeyGuard) private readonly guard: ApiKeyGuard,
    @Inject(Webhooks) private readonly webhooks: Webhooks,
    @Inject(PinRequests) private readonly pins: PinRequests,
    @Inject(CodecPool) private readonly codecs: CodecPool,
    @Inject(SETTINGS) settings: StorageSettings,
  ) {
    this.#cors = new Cors({ origins: settings.CAIRN_STORAGE_CORS_ORIGINS, requestHeaders, exposedHeaders, methods });
  }

  /** Takes a request to a path under /psa, or returns false. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const url = request.url ?? '';
    if (!url.startsWith(prefix)) return false;
    const started = this.interceptor.start(request, response, prefix);
    this.#cors.setHeaders(request, response);
    this.#answer(started, url).catch((error: unknown) => fail(started, error));
    return true;
  }

  async #answer(started: StorageRequest, url: string): Promise<void> {
    const { request, response, record } = started;
    if (url.length > urlCharactersMax)
      throw new ApiError(414, `the URL has ${url.length} characters; send at most ${urlCharactersMax}`);
    const at = url.indexOf('?');
    const { operations, id } = targetOf(url.slice(prefix.length, at === -1 ? undefined : at));
    const allow = Object.keys(operations).join(', ');
    if (request.method === 'OPTIONS') return void response.writeHead(204, { allow: `${allow}, OPTIONS` }).end();
    const isWebhook = operations === psaOperations.webhook;
    const operation = operations[request.method ?? ''];
    if (operation === undefined)
      throw new ApiError(405, `the method ${request.method} is not allowed here; use one of ${allow}`, { allow });
    started.command = operation.name;
    const principal = await this.guard.canActivate(request, operation, parseBearerCredentials);
    record.caller = principal;
    const meter = await this.interceptor.admit(started, principal, operation);
    const account = principal.account.id;
    // No read of these operations waits for a missing block; the attempts of the queue do.
    const { signal, release } = startLifetime(response, { waitMs: 0, meter, codecs: this.codecs, account });
    try {
      const query = new URLSearchParams(at === -1 ? '' : url.slice(at + 1));
      const { status, body } = await this.#run({ started, principal, id, query, signal, isWebhook });
      if (body !== undefined) sendJson(response, status, body);
      else response.writeHead(status, { 'content-length': 0 }).end();
    } finally {
      release();
    }
  }

  async #run({
    started: { request, response },
    principal,
    id,
    query,
    signal,
    isWebhook,
  }: {
    readonly started: StorageRequest;
    readonly principal: Principal;
    readonly id: string | undefined;
    readonly query: URLSearchParams;
    readonly signal: AbortSignal;
    readonly isWebhook: boolean;
  }): Promise<PsaAnswer> {
    const account = principal.account.id;
    if (isWebhook) return await this.#runOnWebhook(request, account, signal);
    if (request.method === 'POST') {
      // A replaced request is looked up before the body is read.
      if (id !== undefined) await this.pins.require(account, id);
      if (request.headers.expect !== undefined) response.writeContinue();
      return { status: 202, body: await this.pins.add(principal, await readJsonBody(request, signal), id) };
    }
    if (id === undefined) return { status: 200, body: await this.pins.list(account, query, signal) };
    if (request.method === 'GET') return { status: 200, body: await this.pins.get(account, id) };
    await this.pins.remove(account, id);
    return { status: 202 };
  }

  async #runOnWebhook(request: IncomingMessage, account: string, signal: AbortSignal): Promise<PsaAnswer> {
    if (request.method === 'GET') return { status: 200, body: await this.webhooks.get(account) };
    if (request.method === 'PUT')
      return { status: 200, body: await this.webhooks.set(account, await readJsonBody(request, signal)) };
    await this.webhooks.remove(account);
    return { status: 204 };
  }
}

/** Finds the target of a path below /psa/. @throws ApiError 404 */
function targetOf(path: string): PsaTarget {
  const [root, id, ...rest] = path.split('/');
  if (root === 'pins' && rest.length === 0) {
    if (id === undefined) return { operations: psaOperations.pins, id };
    // An id needs no decoding: one with other characters does not exist.
    if (id !== '') return { operations: psaOperations.pin, id };
  }
  if (path === 'webhook') return { operations: psaOperations.webhook, id: undefined };
  throw new ApiError(404, `there is no /psa/${path.slice(0, 64)}; use /psa/pins or /psa/pins/{requestid}`);
}

function fail({ request, response, record }: StorageRequest, error: unknown): void {
  record.failure = error;
  if (response.destroyed) return;
  if (response.headersSent) return void response.destroy();
  const { status, headers, body } = psaErrorFrom(error, record.id);
  announceEarlyAnswer(request, response);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  sendJson(response, status, body);
  discardBody(request);
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value);
  response.writeHead(status, {
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

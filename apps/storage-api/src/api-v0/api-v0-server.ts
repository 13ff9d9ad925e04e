import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '@cairn/auth';
import { refreshEnvironments } from '@cairn/embedded-store';
import { latencyBoundsMs, type Metering } from '@cairn/metering';
import { METERING } from '@cairn/metering/nest';
import {
  ApiDocuments,
  announceEarlyAnswer,
  Cors,
  type Dependency,
  discardBody,
  type FastHandler,
  type RawHttp,
  type Registry,
  registerUsageMetrics,
} from '@cairn/service-kit';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import { CodecPool } from '../codec-pool/codec-pool.ts';
import { DeniedContent } from '../denied-content.ts';
import { Network } from '../network/network.ts';
import { PinQueueRunner } from '../psa/pin-queue-runner.ts';
import { PsaServer } from '../psa/psa-server.ts';
import { WebhookRunner } from '../psa/webhook-runner.ts';
import { blockWaitMs, type StorageSettings } from '../settings.ts';
import { SmallAdd } from './add/small-add.ts';
import { ApiError, PlainApiError } from './api-error.ts';
import { ApiKeyGuard } from './api-key-guard.ts';
import { hasBodyArgs, readBodyArgs } from './body-args.ts';
import { COMMANDS, type Command } from './command.ts';
import { commandLineOptions } from './command-line-options.ts';
import { fastHandlers } from './fast-handlers.ts';
import { parseGlobalOptions, upgradeCids } from './global-options.ts';
import { KuboErrorFilter } from './kubo-error-filter.ts';
import { MeteringInterceptor } from './metering-interceptor.ts';
import { boundaryOf } from './multipart.ts';
import { AccountNames } from './names/account-names.ts';
import { NameSchedule } from './names/name-schedule.ts';
import { openApiDocument } from './open-api.ts';
import { parseOptions } from './options.ts';
import { checkCidBase } from './print-cid.ts';
import { SmallCat } from './read/small-cat.ts';
import { startLifetime } from './request-lifetime.ts';
import { checkArgs, cleanUrl, RequestTargets, urlCharactersMax } from './request-target.ts';
import type { StorageMeter } from './storage-meter.ts';
import type { StorageRequest } from './storage-request.ts';
import { StorageState } from './storage-state.ts';
import { endLines } from './write.ts';

const prefix = '/api/v0/';
const methods = 'OPTIONS, POST';

/** Header fields that web pages may send and read, where CORS allows them (`CAIRN_STORAGE_CORS_ORIGINS`). */
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

/** One request whose caller is known and admitted. */
interface AdmittedRequest {
  readonly started: StorageRequest;
  readonly command: Command;
  readonly principal: Principal;
  readonly meter: StorageMeter;
  readonly pathArgs: readonly string[];
  readonly query: URLSearchParams;
}

/**
 * Serves /api/v0 from the HTTP server's events, since bodies are streams (docs/decisions/raw-http-path.md). The steps are
 * those of Nest's pipeline: interceptor, guard, command, filter. The guard runs before a byte of the body is read.
 */
@Injectable()
export class ApiV0Server implements RawHttp {
  readonly #targets: RequestTargets;
  readonly #documents: ApiDocuments;
  readonly #cors: Cors;
  readonly #blockWaitMs: number;
  readonly plain: FastHandler;

  constructor(
    @Inject(COMMANDS) commands: readonly Command[],
    @Inject(MeteringInterceptor) private readonly interceptor: MeteringInterceptor,
    @Inject(ApiKeyGuard) private readonly guard: ApiKeyGuard,
    @Inject(KuboErrorFilter) private readonly filter: KuboErrorFilter,
    @Inject(METERING) private readonly metering: Metering,
    @Inject(StorageState) private readonly state: StorageState,
    @Inject(CodecPool) private readonly codecs: CodecPool,
    @Inject(PsaServer) private readonly psa: PsaServer,
    @Inject(PinQueueRunner) private readonly pinQueue: PinQueueRunner,
    @Inject(WebhookRunner) private readonly webhooks: WebhookRunner,
    @Inject(Network) private readonly network: Network,
    @Inject(AccountNames) private readonly names: AccountNames,
    @Inject(NameSchedule) private readonly nameSchedule: NameSchedule,
    @Inject(DeniedContent) private readonly denied: DeniedContent,
    @Inject(SmallCat) smallCat: SmallCat,
    @Inject(SmallAdd) smallAdd: SmallAdd,
    @Inject(SETTINGS) settings: StorageSettings,
  ) {
    this.plain = fastHandlers(smallCat, smallAdd);
    this.#targets = new RequestTargets(commands);
    this.#documents = new ApiDocuments({ path: '/openapi.json', document: () => openApiDocument(commands) });
    this.#cors = new Cors({ origins: settings.CAIRN_STORAGE_CORS_ORIGINS, requestHeaders, exposedHeaders });
    this.#blockWaitMs = blockWaitMs(settings);
  }

  handleRequest(request: IncomingMessage, response: ServerResponse): boolean {
    refreshEnvironments();
    const url = request.url ?? '';
    const location = cleanUrl(url, prefix);
    if (location !== undefined) return redirect(request, response, location);
    if (!url.startsWith(prefix)) return this.psa.handle(request, response) || this.#documents.handle(request, response);
    const started = this.interceptor.start(request, response);
    this.#cors.setHeaders(request, response);
    this.#answer(started, url).catch((error: unknown) => this.filter.catch(error, started));
    return true;
  }

  dependencies(): readonly Dependency[] {
    return this.state.dependencies();
  }

  registerMetrics(metrics: Registry): void {
    registerUsageMetrics(metrics, { counts: () => this.metering.ledger.totals(), boundsMs: latencyBoundsMs });
    this.state.registerMetrics(metrics);
    this.pinQueue.registerMetrics(metrics);
    this.network.registerMetrics(metrics);
    this.webhooks.registerMetrics(metrics);
    this.nameSchedule.registerMetrics(metrics);
    this.denied.registerMetrics(metrics);
  }

  async #answer(started: StorageRequest, url: string): Promise<void> {
    const { request, response, record } = started;
    if (url.length > urlCharactersMax)
      throw new ApiError(414, `the URL is longer than ${urlCharactersMax} characters; send several requests`);
    if (request.method === 'OPTIONS') return void response.writeHead(204, { allow: methods }).end();
    if (request.method !== 'POST') throw new PlainApiError(405, '405 - Method Not Allowed', { allow: methods });
    if (this.#cors.isForeign(request.headers)) throw new PlainApiError(403, '403 - Forbidden');
    const at = url.indexOf('?');
    const { command, pathArgs } = this.#targets.find(url.slice(prefix.length, at === -1 ? undefined : at));
    if (command === undefined) return endLines(response);
    started.command = command.name;
    const principal = await this.guard.canActivate(request, command);
    record.caller = principal;
    const meter = await this.interceptor.admit(started, principal, command);
    const query = new URLSearchParams(at === -1 ? '' : url.slice(at + 1));
    await this.#run({ started, command, principal, meter, pathArgs, query });
    // A body with more parts than the command reads would block the next request of the connection.
    discardBody(request);
  }

  /** Checks options and arguments in Kubo's order, so that of two faults the same one is reported. Then runs the command. */
  async #run({ started, command, principal, meter, pathArgs, query }: AdmittedRequest): Promise<void> {
    const { request, response } = started;
    const given = [...pathArgs, ...query.getAll('arg')];
    // A missing argument is reported before a missing body.
    if (command.file !== undefined && given.length >= command.args.min) boundaryOf(request, command.file);
    const chosen = parseGlobalOptions(query);
    upgradeCids(query, chosen);
    parseOptions(commandLineOptions[command.name] ?? {}, query);
    const options = parseOptions(command.options, query);
    const readsArgs = hasBodyArgs(command, given, request);
    if (!readsArgs) checkArgs(command, given);
    if ('cid-base' in options) checkCidBase(options['cid-base']);
    const account = principal.account.id;
    const network = command.isLocal === true ? undefined : this.network;
    const denied = command.worksOnDenied === true ? undefined : this.denied;
    const resolveName = async (path: string, how: { signal: AbortSignal; isOffline: boolean }) => {
      denied?.assertName(path);
      return (await this.names.resolve(principal, path, how)).path;
    };
    const lifetime = {
      ...chosen,
      waitMs: this.#blockWaitMs,
      ...{ meter, codecs: this.codecs, account, network, denied, resolveName },
    };
    const { signal, release } = startLifetime(response, lifetime);
    try {
      if (request.headers.expect !== undefined) response.writeContinue();
      const further = readsArgs ? await readBodyArgs(command, request, signal) : [];
      const args = checkArgs(command, [...given, ...further]);
      await command.run({ principal, args, options, request, response, signal });
    } finally {
      release();
      if (command.scope !== 'read') await this.interceptor.countStored(principal);
    }
  }
}

/** Sends the status with which a client repeats method and body, as Go's router does before Kubo gets a request. */
function redirect(request: IncomingMessage, response: ServerResponse, location: string): true {
  announceEarlyAnswer(request, response);
  response.writeHead(307, { location, 'content-length': 0 }).end();
  discardBody(request);
  return true;
}

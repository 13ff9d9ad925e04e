// Fast path: an add of one small file takes a fraction of the time that the HTTP objects, streams and timers of `add` take
// (tools/bench/peers.mjs, row `add 4 KiB`). `add.command.ts` is the plain version; e2e/small-add.e2e.ts compares both.

import type { Metering } from '@cairn/metering';
import { METERING } from '@cairn/metering/nest';
import { Cors, type FastAnswer, type FastHandler, type FastRequest, RequestRecorder } from '@cairn/service-kit';
import { SETTINGS } from '@cairn/service-kit/nest';
import { type ImportOptions, importFile } from '@cairn/unixfs';
import { Inject, Injectable } from '@nestjs/common';
import { DeniedContent } from '../../denied-content.ts';
import type { StorageSettings } from '../../settings.ts';
import { ApiKeyGuard } from '../api-key-guard.ts';
import { errorBody, isServiceFault, knownError } from '../kubo-error-filter.ts';
import { MeteringInterceptor } from '../metering-interceptor.ts';
import { parseOptions } from '../options.ts';
import { printCid } from '../print-cid.ts';
import { setReadOptions } from '../read-options.ts';
import { StorageMeter } from '../storage-meter.ts';
import type { StorageRequest } from '../storage-request.ts';
import { Uploads } from '../uploads.ts';
import { errorTrailer, jsonLinesHeaders } from '../write.ts';
import { WriteSessions } from '../write-sessions.ts';
import { addOptions, treeOptions } from './add-options.ts';
import { nameOfAdd } from './name-of-add.ts';
import { type SingleFile, singleFileOf } from './single-file.ts';

const command = { name: 'add', scope: 'add' } as const;
/** An add with the options that most clients send, each with its usual value. */
const target =
  /^\/api\/v0\/add(?:\?(?:cid-version=[01]|raw-leaves=(?:true|false)|pin=true|progress=false|stream-channels=true|&){1,20})?$/;
/** Parsed targets that are kept: clients repeat the same one. */
const targetsMax = 64;

type RequestRecord = StorageRequest['record'];

/**
 * Answers `add` of one small file that is pinned. Every other request is left to `ApiV0Server`, before anything is counted
 * for it. The file is on the disk before the response, as with `add`.
 */
@Injectable()
export class SmallAdd implements FastHandler {
  // Pages with an Origin do not take the fast path; those without one are refused by the other path.
  readonly #cors = new Cors({ origins: undefined, requestHeaders: [], exposedHeaders: [] });
  readonly #options = new Map<string, ImportOptions>();

  constructor(
    @Inject(WriteSessions) private readonly sessions: WriteSessions,
    @Inject(Uploads) private readonly uploads: Uploads,
    @Inject(SETTINGS) private readonly settings: StorageSettings,
    @Inject(ApiKeyGuard) private readonly guard: ApiKeyGuard,
    @Inject(METERING) private readonly metering: Metering,
    @Inject(MeteringInterceptor) private readonly interceptor: MeteringInterceptor,
    @Inject(RequestRecorder) private readonly recorder: RequestRecorder,
    @Inject(DeniedContent) private readonly denied: DeniedContent,
  ) {}

  takes(path: string): boolean {
    return target.test(path);
  }

  async answer(request: FastRequest): Promise<FastAnswer | undefined> {
    if (this.#cors.isForeign(request.headers)) return undefined;
    const file = singleFileOf(request.body, request.headers['content-type']);
    if (file === undefined || file.bytes.length > this.settings.CAIRN_UPLOAD_BYTES_MAX) return undefined;
    const record: RequestRecord = this.recorder.start(request.headers);
    const principal = await this.guard.findCaller(request, command.scope);
    if (principal === undefined) return undefined;
    const meter = new StorageMeter(this.metering, principal, command, request.socket);
    try {
      await meter.admit();
    } catch {
      meter.abandon();
      return undefined;
    }
    record.caller = principal;
    record.meter = meter;
    const answer = await this.#add(request, file, { principal, meter }).then(
      (line) => answerOf(200, jsonLinesHeaders, `${line}\n`),
      (error: unknown) => {
        record.failure = error;
        const known = knownError(error, record.id);
        const headers = { ...known.headers, 'content-type': 'application/json' };
        return answerOf(known.status, headers, `${JSON.stringify(errorBody(known))}\n`);
      },
    );
    await this.interceptor.countStored(principal).catch((error: unknown) => {
      record.failure ??= error;
    });
    return this.#finished(answer, { record, meter });
  }

  /** Adds a file and pins it. @returns the line of the response */
  #add(
    { path, signal }: FastRequest,
    file: SingleFile,
    { principal, meter }: { readonly principal: NonNullable<RequestRecord['caller']>; readonly meter: StorageMeter },
  ): Promise<string> {
    setReadOptions(signal, { waitMs: 0, work: meter.work, follow: undefined, denied: this.denied });
    return this.uploads.run(principal.account.id, () =>
      this.sessions.run(principal, signal, async (session) => {
        const { cid, dagSize } = await importFile([file.bytes], session.store, this.#optionsOf(path));
        await session.store.sync();
        const name = nameOfAdd(cid, file.name);
        await session.pinMany([cid], name === undefined ? {} : { addedAs: new Map([[cid.toString(), name]]) });
        return JSON.stringify({ Name: file.name, Hash: printCid(cid, undefined), Size: String(dagSize) });
      }),
    );
  }

  /** @throws ApiError 400 */
  #optionsOf(path: string): ImportOptions {
    const known = this.#options.get(path);
    if (known !== undefined) return known;
    const at = path.indexOf('?');
    const query = new URLSearchParams(at === -1 ? '' : path.slice(at + 1));
    const { onProgress: _, ...options } = treeOptions(parseOptions(addOptions, query), this.settings);
    if (this.#options.size >= targetsMax) this.#options.clear();
    this.#options.set(path, options);
    return options;
  }

  /** Completes a response with the header fields that every one has, and ends the record when it is sent. */
  #finished(
    answer: FastAnswer,
    { record, meter }: { readonly record: RequestRecord; readonly meter: StorageMeter },
  ): FastAnswer {
    const { policy, rateLimit } = meter.limits;
    const limited: Record<string, string> = policy === '' ? {} : { 'ratelimit-policy': policy, ratelimit: rateLimit };
    return {
      ...answer,
      headers: { 'x-request-id': record.id, 'x-content-type-options': 'nosniff', ...limited, ...answer.headers },
      onSent: (isSent) =>
        record.end({
          name: 'POST /api/v0/add',
          status: isSent ? answer.status : 499,
          isFailed: !isSent || answer.status !== 200,
          isServiceFault: isServiceFault(record.failure) && isSent,
          attributes: record.span && { 'http.request.method': 'POST', 'http.route': '/api/v0/add' },
          fields: { command: command.name, isComplete: isSent },
        }),
    };
  }
}

function answerOf(status: number, headers: FastAnswer['headers'], body: string): FastAnswer {
  return { status, headers, trailer: errorTrailer, body };
}

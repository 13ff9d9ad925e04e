// Fast path: an add of one small file takes a fraction of the time that the HTTP objects, streams and timers of `add` take
// (tools/bench/peers.mjs, row `add 4 KiB`). `add.command.ts` is the plain version; e2e/small-add.e2e.ts compares both.

import type { Block } from '@cairn/blockstore';
import type { FastAnswer, FastHandler, FastRequest } from '@cairn/service-kit';
import { SETTINGS } from '@cairn/service-kit/nest';
import { createFileBlock, type ImportOptions } from '@cairn/unixfs';
import { Inject, Injectable } from '@nestjs/common';
import { DeniedContent } from '../../denied-content.ts';
import type { StorageSettings } from '../../settings.ts';
import { ApiKeyGuard } from '../api-key-guard.ts';
import { goJson } from '../go-json.ts';
import { errorBody, knownError } from '../kubo-error-filter.ts';
import { MeteringInterceptor } from '../metering-interceptor.ts';
import { parseOptions } from '../options.ts';
import { printCid } from '../print-cid.ts';
import { type SmallAnswer, type SmallRequest, SmallRequests } from '../small-requests.ts';
import { Uploads } from '../uploads.ts';
import { jsonLinesHeaders } from '../write.ts';
import { WriteSessions } from '../write-sessions.ts';
import { addOptions, treeOptions } from './add-options.ts';
import { nameOfAdd } from './name-of-add.ts';
import { singleFileOf } from './single-file.ts';

const command = { name: 'add', scope: 'add' } as const;
/** An add with the options that most clients send, each with its usual value. */
const target =
  /^\/api\/v0\/add(?:\?(?:cid-version=[01]|raw-leaves=(?:true|false)|pin=true|progress=false|stream-channels=true|&){1,20})?$/;
/** Parsed targets that are kept: clients repeat the same one. */
const targetsMax = 64;

/**
 * Answers `add` of one small file that is pinned. Every other request is left to `ApiV0Server`, before anything is counted
 * for it. The file is on the disk before the response, as with `add`.
 */
@Injectable()
export class SmallAdd implements FastHandler {
  readonly #options = new Map<string, ImportOptions>();

  constructor(
    @Inject(WriteSessions) private readonly sessions: WriteSessions,
    @Inject(Uploads) private readonly uploads: Uploads,
    @Inject(SETTINGS) private readonly settings: StorageSettings,
    @Inject(ApiKeyGuard) private readonly guard: ApiKeyGuard,
    @Inject(SmallRequests) private readonly requests: SmallRequests,
    @Inject(MeteringInterceptor) private readonly interceptor: MeteringInterceptor,
    @Inject(DeniedContent) private readonly denied: DeniedContent,
  ) {}

  takes(path: string): boolean {
    return target.test(path);
  }

  async answer(request: FastRequest): Promise<FastAnswer | undefined> {
    const record = this.requests.start(request);
    if (record === undefined) return undefined;
    const file = singleFileOf(request.body, request.headers['content-type']);
    if (file === undefined || file.bytes.length > this.settings.CAIRN_UPLOAD_BYTES_MAX) return undefined;
    const principal = await this.guard.findCaller(request, command.scope);
    if (principal === undefined) return undefined;
    const block = this.#blockOf(request.path, file.bytes);
    if (block === undefined || this.denied.isDenied(block.cid)) return undefined;
    const admitted = await this.requests.admit(record, request, { principal, command });
    if (admitted === undefined) return undefined;
    const answer = await this.#answer(admitted, block, file.name);
    await this.interceptor.countStored(principal).catch((error: unknown) => {
      record.failure ??= error;
    });
    return this.requests.answer(admitted, answer);
  }

  async #answer(request: SmallRequest, block: Block, name: string): Promise<SmallAnswer> {
    const { record } = request;
    try {
      await this.#add(request, block, name);
    } catch (error) {
      record.failure = error;
      const known = knownError(error, record.id);
      const headers = { ...known.headers, 'content-type': 'application/json' };
      return { status: known.status, headers, body: `${goJson(errorBody(known))}\n` };
    }
    const line = { Name: name, Hash: printCid(block.cid, undefined), Size: String(block.bytes.length) };
    return { status: 200, headers: jsonLinesHeaders(), body: `${goJson(line)}\n` };
  }

  /** Adds a file and pins it. An upload whose client has gone is completed. */
  #add({ principal, meter }: SmallRequest, block: Block, name: string): Promise<void> {
    const addedAs = nameOfAdd(block.cid, name);
    const options = addedAs === undefined ? {} : { addedAs: new Map([[block.cid.toString(), addedAs]]) };
    return this.uploads.run(principal.account.id, () =>
      this.sessions.run(principal, undefined, (session) => session.pinBlock(block, options), { counted: meter.work }),
    );
  }

  /** Returns the block of a file; `undefined` for options that `add` must handle, or refuse. */
  #blockOf(path: string, bytes: Uint8Array): Block | undefined {
    try {
      return createFileBlock(bytes, this.#optionsOf(path));
    } catch {
      return undefined;
    }
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
}

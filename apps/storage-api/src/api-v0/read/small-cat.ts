// Fast path: a cat of one small file takes a third of the time that the HTTP objects, the timers and the stream of `cat` take
// (tools/bench/peers.mjs, row `cat 4 KiB`). `cat.command.ts` is the plain version; e2e/small-cat.e2e.ts compares both.
import type { Principal } from '@cairn/auth';
import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { type CID, codecs, parseCid } from '@cairn/cid';
import type { Metering } from '@cairn/metering';
import { METERING } from '@cairn/metering/nest';
import type { FastAnswer, FastHandler, FastRequest } from '@cairn/service-kit';
import { readNode } from '@cairn/unixfs';
import { Inject, Injectable } from '@nestjs/common';
import { DeniedContent } from '../../denied-content.ts';
import { ApiKeyGuard } from '../api-key-guard.ts';
import { priceOf } from '../prices.ts';
import { SmallRequests } from '../small-requests.ts';
import { fileHeaders } from '../write.ts';

/** A file in one block of more bytes is streamed by `cat`. */
const fileBytesMax = 64 * 1024;
/** Paths of files for the other path that are remembered. */
const othersMax = 10_000;
const command = { name: 'cat', scope: 'read' } as const;
/** A cat of one CID without options. */
const target = /^\/api\/v0\/cat\?arg=(?:\/ipfs\/|%2Fipfs%2F)?([A-Za-z0-9]{46,110})$/;
const identityCode = 0x00;

/** Content of a small file whose caller may read it now. */
interface SmallFile {
  readonly principal: Principal;
  readonly data: Uint8Array;
  /** Length of its block. */
  readonly blockBytes: number;
}

/**
 * Answers `cat` of a file in one block of this store. Every other request, and every one that may fail, is left to
 * `ApiV0Server` before anything is counted for it.
 */
@Injectable()
export class SmallCat implements FastHandler {
  /** Paths of long files and directories. A CID always names the same bytes. They would be read twice, here and by `cat`. */
  readonly #others = new Set<string>();

  constructor(
    @Inject(BLOCKSTORE) private readonly store: Blockstore,
    @Inject(ApiKeyGuard) private readonly guard: ApiKeyGuard,
    @Inject(METERING) private readonly metering: Metering,
    @Inject(SmallRequests) private readonly requests: SmallRequests,
    @Inject(DeniedContent) private readonly denied: DeniedContent,
  ) {}

  takes(path: string): boolean {
    return !this.#others.has(path) && target.test(path);
  }

  async answer(request: FastRequest): Promise<FastAnswer | undefined> {
    const record = request.body.length > 0 ? undefined : this.requests.start(request);
    if (record === undefined) return undefined;
    const file = await this.#find(request).catch(() => undefined);
    if (file === undefined) return undefined;
    const { principal, data, blockBytes } = file;
    const admitted = await this.requests.admit(record, request, { principal, command });
    if (admitted === undefined) return undefined;
    admitted.meter.work.blocks([blockBytes]);
    const body = Buffer.from(data.buffer, data.byteOffset, data.length);
    return this.requests.answer(admitted, { status: 200, headers: fileHeaders(data.length), body });
  }

  /** @throws any error of the store; `cat` then reports it */
  async #find(request: FastRequest): Promise<SmallFile | undefined> {
    const cid = fileCidOf(request.path);
    if (cid === undefined) return undefined;
    const principal = await this.guard.findCaller(request, command.scope);
    if (principal === undefined) return undefined;
    // The account is admitted after the read, which only a caller within its limits may cause.
    await this.metering.payment(principal).limits.requireRequest(priceOf(command));
    if (this.denied.isDenied(cid)) return undefined;
    // Reads without a signal neither wait for a block nor ask other nodes.
    const { type, links, data, blockBytes } = await readNode(this.store, cid);
    const isSmallFile = (type === 'file' || type === 'raw') && links.length === 0 && data.length <= fileBytesMax;
    if (isSmallFile) return { principal, data, blockBytes };
    this.#leave(request.path);
    return undefined;
  }

  #leave(path: string): void {
    if (this.#others.size >= othersMax) this.#others.clear();
    this.#others.add(path);
  }
}

/** Returns the CID of a path that the fast path takes. An identity CID contains its block and has rules of its own. */
function fileCidOf(path: string): CID | undefined {
  const cid = parseCid(target.exec(path)?.[1] ?? '');
  const isFile = cid.code === codecs.raw || cid.code === codecs['dag-pb'];
  return isFile && cid.multihash.code !== identityCode ? cid : undefined;
}

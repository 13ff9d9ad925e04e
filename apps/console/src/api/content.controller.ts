import { pipeline } from 'node:stream/promises';
import type { SignedIn } from '@cairn/auth';
import { codecs, parseCid } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { PinNotFoundError } from '@cairn/pinning';
import { Controller, Get, Headers, Inject, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import * as z from 'zod';
import { Describe, TakesQuery } from '../describe.ts';
import { linksOf } from '../files/block-links.ts';
import { type ByteRange, byteRange } from '../files/byte-range.ts';
import { nameOf } from '../files/file-list.ts';
import { readEntries } from '../files/folder-entries.ts';
import { Me } from '../session.ts';
import type { ConsoleStores } from '../stores.ts';
import { STORES } from '../tokens.ts';
import { storageRefusal } from '../uploads/storage-refusal.ts';
import { endOf, Upstream, type UpstreamAnswer } from '../upstream.ts';

const pathQuery = z.object({ path: z.string().max(4096).default('') });
const readQuery = pathQuery.extend({
  name: z.string().max(255).default(''),
  download: z.string().optional(),
  archive: z.string().optional(),
});
const linksQuery = z.object({ of: z.string().max(512).default('') });

/** Types that a browser displays without running code. Other types are downloaded. */
const shownTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  pdf: 'application/pdf',
  txt: 'text/plain; charset=utf-8',
  md: 'text/plain; charset=utf-8',
  csv: 'text/plain; charset=utf-8',
  log: 'text/plain; charset=utf-8',
  json: 'text/plain; charset=utf-8',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
};

/** The content of pins. Bytes pass through from the storage API unchanged. */
@Controller('api/files')
export class ContentController {
  constructor(
    @Inject(STORES) private readonly stores: ConsoleStores,
    @Inject(Upstream) private readonly upstream: Upstream,
  ) {}

  @Describe(
    'The bytes of a file, or one range of them: inline for types that run no code, else as a download. A folder is a tar archive.',
    'application/octet-stream',
  )
  @Get(':cid')
  async read(
    @Me() { account }: SignedIn,
    @Param('cid') cid: string,
    @TakesQuery(readQuery) { name, path, download, archive }: z.infer<typeof readQuery>,
    @Headers('range') wanted: string | undefined,
    @Res() response: Response,
  ) {
    const isArchive = archive !== undefined;
    const argument = argumentOf(cid, path);
    const range =
      wanted === undefined || isArchive ? undefined : await this.#range(account.id, { argument, wanted }, response);
    const part = range === undefined ? '' : `offset=${range.offset}&length=${range.length}&`;
    const answer = await this.upstream.storage(
      account.id,
      `${isArchive ? 'get?archive=true&' : `cat?${part}`}arg=${argument}`,
      { signal: endOf(response) },
    );
    if (answer.status !== 200) throw await refusalOf(answer);
    const type = shownTypes[name.toLowerCase().split('.').at(-1) ?? ''];
    const isShown = download === undefined && !isArchive && type !== undefined;
    // Stored content never runs as a page of this console. The viewers of browsers refuse a PDF in a sandbox.
    const isPdf = isShown && type === shownTypes.pdf;
    response.setHeader(
      'content-security-policy',
      `default-src 'none'; frame-ancestors 'self'${isPdf ? '' : '; sandbox'}`,
    );
    if (isPdf) response.setHeader('x-frame-options', 'SAMEORIGIN');
    response.setHeader('content-type', isShown ? type : 'application/octet-stream');
    const fileName = encodeURIComponent(`${name || cid}${isArchive ? '.tar' : ''}`);
    response.setHeader('content-disposition', `${isShown ? 'inline' : 'attachment'}; filename*=UTF-8''${fileName}`);
    if (!isArchive) response.setHeader('accept-ranges', 'bytes');
    if (range !== undefined) {
      response.status(206).setHeader('content-range', range.contentRange);
      response.setHeader('content-length', range.length);
    }
    await copy(answer, response);
  }

  @Describe('The entries of a folder, or of a folder below it.')
  @Get(':cid/entries')
  async entries(
    @Me() { account }: SignedIn,
    @Param('cid') text: string,
    @TakesQuery(pathQuery) { path }: z.infer<typeof pathQuery>,
  ): Promise<object> {
    const pin = await this.#pin(account.id, text);
    const answer = await this.upstream.storage(account.id, `ls?stream=true&arg=${argumentOf(text, path)}`, {
      payer: 'service',
    });
    if (answer.status !== 200) throw await refusalOf(answer);
    return { name: nameOf(pin), ...(await readEntries(answer)) };
  }

  @Describe('The links of the root block of a pin, or of a block below it.')
  @Get(':cid/links')
  async links(
    @Me() { account }: SignedIn,
    @Param('cid') text: string,
    @TakesQuery(linksQuery) { of }: z.infer<typeof linksQuery>,
  ): Promise<object> {
    await this.#pin(account.id, text);
    const cid = parseCid(of || text);
    if (cid.code === codecs.raw) return { links: [], isCut: false };
    const options = new URLSearchParams({ arg: cid.toString(), 'output-codec': 'dag-json' });
    const answer = await this.upstream.storage(account.id, `dag/get?${options}`, { payer: 'service' });
    if (answer.status !== 200) throw await refusalOf(answer);
    return linksOf(JSON.parse(await answer.body.text()), { isProtobuf: cid.code === codecs['dag-pb'] });
  }

  /** @throws PIN_NOT_FOUND */
  async #pin(accountId: string, text: string) {
    const pin = await this.stores.pins.get(accountId, parseCid(text));
    if (pin === undefined) throw new PinNotFoundError(text);
    return pin;
  }

  /** @throws RANGE_INVALID, with the size in the header Content-Range of the response */
  async #range(
    accountId: string,
    { argument, wanted }: { readonly argument: string; readonly wanted: string },
    response: Response,
  ): Promise<ByteRange | undefined> {
    const answer = await this.upstream.storage(accountId, `files/stat?arg=/ipfs/${argument}`, { payer: 'service' });
    if (answer.status !== 200) throw await refusalOf(answer);
    const { Size: size } = JSON.parse(await answer.body.text()) as { readonly Size: number };
    try {
      return byteRange(wanted, size);
    } catch (error) {
      response.setHeader('content-range', `bytes */${size}`);
      throw error;
    }
  }
}

/** Path below a CID, as argument of a storage command. */
function argumentOf(cid: string, path: string): string {
  return encodeURIComponent(path === '' ? cid : `${cid}/${path}`);
}

async function copy({ body }: UpstreamAnswer, response: Response): Promise<void> {
  try {
    await pipeline(body, response);
  } catch (error) {
    // The status is sent already: closing the connection is the only way to report the failure.
    response.destroy();
    if (isCairnError(error)) throw error;
  }
}

async function refusalOf({ status, headers, body }: UpstreamAnswer) {
  return storageRefusal(status, await body.text(), headers);
}

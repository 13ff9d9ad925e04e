import { pipeline } from 'node:stream/promises';
import type { SignedIn } from '@cairn/auth';
import { type CID, parseCid } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { type Pin, PinNotFoundError } from '@cairn/pinning';
import { Controller, Delete, Get, Inject, Param, Patch, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { Describe, TakesBody, TakesQuery } from '../describe.ts';
import { FileKinds } from '../file-kinds.ts';
import { readEntries } from '../folder-entries.ts';
import { Me } from '../session.ts';
import type { ConsoleStores } from '../stores.ts';
import { STORES } from '../tokens.ts';
import { storageRefusal } from '../uploads/storage-refusal.ts';
import { endOf, Upstream, type UpstreamAnswer } from '../upstream.ts';

const listQuery = z.object({ search: z.string().max(256).default('') });
const pathQuery = z.object({ path: z.string().max(4096).default('') });
const readQuery = pathQuery.extend({
  name: z.string().max(255).default(''),
  download: z.string().optional(),
  archive: z.string().optional(),
});
const newName = z.object({
  name: z.string().trim().min(1, 'expected a name').max(255, 'expected 255 characters at most'),
});

/** Rows on one page. Further rows are found by search. */
const rowsMax = 200;

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
  json: 'text/plain; charset=utf-8',
  mp4: 'video/mp4',
  mp3: 'audio/mpeg',
};

/** The pins of the account. Bytes pass through from the storage API unchanged. */
@Controller('api/files')
export class FilesController {
  constructor(
    @Inject(STORES) private readonly stores: ConsoleStores,
    @Inject(Upstream) private readonly upstream: Upstream,
    @Inject(FileKinds) private readonly kinds: FileKinds,
  ) {}

  @Describe('The newest pins whose name or CID contains the given text.')
  @Get()
  async list(@Me() { account }: SignedIn, @TakesQuery(listQuery) query: z.infer<typeof listQuery>) {
    const search = query.search.toLowerCase();
    const found: Pin[] = [];
    let count = 0;
    for await (const pin of this.stores.pins.list(account.id)) {
      if (!`${nameOf(pin)} ${pin.cid}`.toLowerCase().includes(search)) continue;
      count++;
      found.push(pin);
      // Only the newest rows are kept in memory.
      if (found.length >= rowsMax * 10) cut(found);
    }
    cut(found);
    const kinds = await this.kinds.of(
      account.id,
      found.map(({ cid }) => cid),
    );
    const files = found.map((pin) => ({ ...shown(pin), kind: kinds.get(pin.cid.toString()) }));
    return { files, count, usage: await this.stores.pins.usage(account.id) };
  }

  @Describe(
    'The bytes of a file: inline for types that run no code, else as a download. A folder is a tar archive.',
    'application/octet-stream',
  )
  @Get(':cid')
  async read(
    @Me() { account }: SignedIn,
    @Param('cid') cid: string,
    @TakesQuery(readQuery) { name, path, download, archive }: z.infer<typeof readQuery>,
    @Res() response: Response,
  ) {
    const isArchive = archive !== undefined;
    const command = isArchive ? 'get?archive=true&' : 'cat?';
    const answer = await this.upstream.storage(account.id, `${command}arg=${argumentOf(cid, path)}`, {
      signal: endOf(response),
    });
    if (answer.status !== 200) throw await refusalOf(answer);
    const type = shownTypes[name.toLowerCase().split('.').at(-1) ?? ''];
    const isShown = download === undefined && !isArchive && type !== undefined;
    // Stored content never runs as a page of this console.
    response.setHeader('content-security-policy', "default-src 'none'; sandbox");
    response.setHeader('content-type', isShown ? type : 'application/octet-stream');
    const fileName = encodeURIComponent(`${name || cid}${isArchive ? '.tar' : ''}`);
    response.setHeader('content-disposition', `${isShown ? 'inline' : 'attachment'}; filename*=UTF-8''${fileName}`);
    await copy(answer, response);
  }

  @Describe('The entries of a folder, or of a folder below it.')
  @Get(':cid/entries')
  async entries(
    @Me() { account }: SignedIn,
    @Param('cid') text: string,
    @TakesQuery(pathQuery) { path }: z.infer<typeof pathQuery>,
  ): Promise<object> {
    const pin = await this.#pin(account.id, parseCid(text));
    const answer = await this.upstream.storage(account.id, `ls?stream=true&arg=${argumentOf(text, path)}`, {
      payer: 'service',
    });
    if (answer.status !== 200) throw await refusalOf(answer);
    return { name: nameOf(pin), ...(await readEntries(answer)) };
  }

  @Describe('Renames a pin.')
  @Patch(':cid')
  async rename(
    @Me() { account }: SignedIn,
    @Param('cid') text: string,
    @TakesBody(newName) { name }: z.infer<typeof newName>,
  ) {
    const { cid, mode } = await this.#pin(account.id, parseCid(text));
    const options = new URLSearchParams({ arg: cid.toString(), name, recursive: String(mode === 'recursive') });
    const answer = await this.upstream.storage(account.id, `pin/add?${options}`);
    if (answer.status !== 200) throw await refusalOf(answer);
    await answer.body.dump();
    return shown(await this.#pin(account.id, cid));
  }

  @Describe('Removes a pin.')
  @Delete(':cid')
  async unpin(@Me() { account }: SignedIn, @Param('cid') cid: string) {
    const answer = await this.upstream.storage(account.id, `pin/rm?arg=${encodeURIComponent(cid)}`);
    if (answer.status !== 200) throw await refusalOf(answer);
    await answer.body.dump();
    return {};
  }

  /** @throws PIN_NOT_FOUND */
  async #pin(accountId: string, cid: CID): Promise<Pin> {
    const pin = await this.stores.pins.get(accountId, cid);
    if (pin === undefined) throw new PinNotFoundError(cid.toString());
    return pin;
  }
}

function cut(pins: Pin[]): void {
  pins.sort((one, other) => other.createdAt - one.createdAt);
  pins.length = Math.min(pins.length, rowsMax);
}

/** The name of the pin, else the name given at its add, else an empty text. */
function nameOf({ name, addedAs }: Pin): string {
  return name || addedAs || '';
}

function shown(pin: Pin) {
  const { cid, mode, createdAt, size } = pin;
  return { cid: cid.toString(), name: nameOf(pin), mode, createdAt, bytes: size.bytes };
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
  return storageRefusal(status, await body.text(), headers['retry-after']);
}

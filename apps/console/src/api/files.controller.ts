import { pipeline } from 'node:stream/promises';
import type { SignedIn } from '@cairn/auth';
import { CairnError, isCairnError } from '@cairn/errors';
import type { Pin } from '@cairn/pinning';
import { Controller, Delete, Get, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Says, TakesQuery } from '../describe.ts';
import { Me } from '../session.ts';
import type { ConsoleStores } from '../stores.ts';
import { STORES } from '../tokens.ts';
import { Upstream, type UpstreamAnswer } from '../upstream.ts';

const listQuery = z.object({ search: z.string().max(256).default('') });
const nameQuery = z.object({ name: z.string().max(255).default('') });
const readQuery = nameQuery.extend({ download: z.string().optional() });

/** Rows that one page shows; who has more searches. */
const rowsMax = 200;

/** Types that a browser shows without running anything of them; all else is downloaded. */
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

/** The pins of the account. Bytes pass through to the storage API as they are. */
@Controller('api/files')
export class FilesController {
  constructor(
    @Inject(STORES) private readonly stores: ConsoleStores,
    @Inject(Upstream) private readonly upstream: Upstream,
  ) {}

  @Says('The newest pins of the account whose name or CID has a text in it.')
  @Get()
  async list(@Me() { account }: SignedIn, @TakesQuery(listQuery) query: z.infer<typeof listQuery>) {
    const search = query.search.toLowerCase();
    const found: ReturnType<typeof shown>[] = [];
    let count = 0;
    for await (const pin of this.stores.pins.list(account.id)) {
      const row = shown(pin);
      if (!`${row.name} ${row.cid}`.toLowerCase().includes(search)) continue;
      count++;
      found.push(row);
      // The newest ones are shown; the rest need not be held.
      if (found.length >= rowsMax * 10) cut(found);
    }
    cut(found);
    return { files: found, count, usage: await this.stores.pins.usage(account.id) };
  }

  @Says('Adds the file of a multipart body and pins it.')
  @HttpCode(200)
  @Post()
  async add(
    @Me() { account }: SignedIn,
    @TakesQuery(nameQuery) { name }: z.infer<typeof nameQuery>,
    @Req() request: Request,
    @Res() response: Response,
  ) {
    const type = request.headers['content-type'] ?? '';
    const length = request.headers['content-length'];
    const headers = { 'content-type': type, ...(length !== undefined && { 'content-length': length }) };
    const options = new URLSearchParams({ pin: 'true', ...(name !== '' && { 'pin-name': name }) });
    const answer = await this.upstream.storage(account.id, `add?${options}`, {
      body: request,
      headers,
      signal: endOf(response),
    });
    const body = await answer.body.text();
    if (answer.status !== 200) throw refusalOf(answer.status, body);
    const lines = body.trim().split('\n');
    const last = JSON.parse(lines.at(-1) ?? '{}') as { readonly Name: string; readonly Hash: string };
    response.json({ cid: last.Hash, name: last.Name });
  }

  @Says(
    'The bytes of a file: shown where a browser runs nothing of them, else as a download.',
    'application/octet-stream',
  )
  @Get(':cid')
  async read(
    @Me() { account }: SignedIn,
    @Param('cid') cid: string,
    @TakesQuery(readQuery) { name, download }: z.infer<typeof readQuery>,
    @Res() response: Response,
  ) {
    const answer = await this.upstream.storage(account.id, `cat?arg=${encodeURIComponent(cid)}`, {
      signal: endOf(response),
    });
    if (answer.status !== 200) throw refusalOf(answer.status, await answer.body.text());
    const type = shownTypes[name.toLowerCase().split('.').at(-1) ?? ''];
    const isShown = download === undefined && type !== undefined;
    // What a customer stored never runs as a page of this console.
    response.setHeader('content-security-policy', "default-src 'none'; sandbox");
    response.setHeader('content-type', isShown ? type : 'application/octet-stream');
    const fileName = encodeURIComponent(name || cid);
    response.setHeader('content-disposition', `${isShown ? 'inline' : 'attachment'}; filename*=UTF-8''${fileName}`);
    await copy(answer, response);
  }

  @Says('Takes a pin away.')
  @Delete(':cid')
  async unpin(@Me() { account }: SignedIn, @Param('cid') cid: string) {
    const answer = await this.upstream.storage(account.id, `pin/rm?arg=${encodeURIComponent(cid)}`);
    const body = await answer.body.text();
    if (answer.status !== 200) throw refusalOf(answer.status, body);
    return {};
  }
}

function cut(rows: ReturnType<typeof shown>[]): void {
  rows.sort((one, other) => other.createdAt - one.createdAt);
  rows.length = Math.min(rows.length, rowsMax);
}

function shown({ cid, name, mode, createdAt, size }: Pin) {
  return { cid: cid.toString(), name: name ?? '', mode, createdAt, bytes: size.bytes };
}

/** Aborts when the page has gone before its answer was whole. */
function endOf(response: Response): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new Error('the client closed the connection'));
  });
  return controller.signal;
}

async function copy({ body }: UpstreamAnswer, response: Response): Promise<void> {
  try {
    await pipeline(body, response);
  } catch (error) {
    // The status has gone out: a cut connection is what is left to say.
    response.destroy();
    if (isCairnError(error)) throw error;
  }
}

/** What the storage API says, with its own status where pages know it. */
function refusalOf(status: number, body: string): CairnError {
  let message = 'The storage API refused.';
  try {
    message = (JSON.parse(body) as { readonly Message?: string }).Message ?? message;
  } catch {
    // Not of the storage API itself.
  }
  const code = { 402: 'CARD_REQUIRED', 403: 'QUOTA_EXCEEDED', 429: 'LIMIT_REACHED', 507: 'STORE_FULL' }[status];
  return new CairnError(code ?? 'STORAGE_REFUSED', message);
}

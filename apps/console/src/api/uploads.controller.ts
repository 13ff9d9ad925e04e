import { PassThrough } from 'node:stream';
import type { SignedIn } from '@cairn/auth';
import { CairnError } from '@cairn/errors';
import { byteText } from '@cairn/service-kit';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Controller, Get, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { errorAnswerOf } from '../console-error.filter.ts';
import { Describe, TakesBody, TakesQuery } from '../describe.ts';
import { Me } from '../session.ts';
import type { ConsoleSettings } from '../settings.ts';
import { rootOfAdd } from '../uploads/add-answer.ts';
import { storageRefusal } from '../uploads/storage-refusal.ts';
import { UploadRegistry } from '../uploads/upload-registry.ts';
import { endOf, Upstream } from '../upstream.ts';

const announcement = z.object({
  name: z.string().max(1024).default(''),
  bytes: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  /** Skips the quota check. Content that is stored already takes no room. */
  ignoresQuota: z.boolean().default(false),
});
const addQuery = z.object({
  name: z.string().max(255).default(''),
  upload: z.string().max(64).optional(),
  kind: z.enum(['file', 'folder'], { error: 'expected file or folder' }).default('file'),
});

/** Uploads: announcement, one multipart body, and state while it is sent. */
@Controller('api')
export class UploadsController {
  readonly #registry = new UploadRegistry();

  constructor(
    @Inject(Upstream) private readonly upstream: Upstream,
    @Inject(SETTINGS) private readonly settings: ConsoleSettings,
  ) {}

  @Describe('Announces an upload. It is refused here if the account has no card or too little quota.')
  @Post('uploads')
  async announce(@Me() { account }: SignedIn, @TakesBody(announcement) asked: z.infer<typeof announcement>) {
    const { name, bytes, ignoresQuota } = asked;
    const { CAIRN_UPLOAD_BYTES_MAX: bytesMax } = this.settings;
    if (bytes > bytesMax)
      throw new CairnError(
        'UPLOAD_TOO_LONG',
        `${called(name)} has ${byteText(bytes)}; an upload has ${byteText(bytesMax)} at most.`,
        {
          hint: 'Split it, or ask the operator of this service for a higher limit.',
        },
      );
    const { held, quota } = await this.#room(account.id);
    const left = Math.max(0, quota - held);
    if (!ignoresQuota && bytes > left)
      throw new CairnError(
        'QUOTA_EXCEEDED',
        `${called(name)} has ${byteText(bytes)}; ${byteText(left)} are left of the quota of ${byteText(quota)}.`,
        {
          hint: 'Unpin files that you do not need, or ask for a higher quota. If the content is stored already, retry.',
        },
      );
    return { id: this.#registry.announce(account.id) };
  }

  /** Stored bytes and quota of the account. @throws CARD_REQUIRED and other refusals of the storage API */
  async #room(accountId: string): Promise<{ readonly held: number; readonly quota: number }> {
    const answer = await this.upstream.storage(accountId, 'repo/stat?size-only=true', { payer: 'service' });
    const text = await answer.body.text();
    if (answer.status !== 200) throw storageRefusal(answer.status, text, answer.headers['retry-after']);
    const { RepoSize, StorageMax } = JSON.parse(text) as { readonly RepoSize: number; readonly StorageMax: number };
    return { held: RepoSize, quota: StorageMax };
  }

  @Describe('State of an upload, for pages that have no answer yet or lost it.')
  @Get('uploads/:id')
  state(@Me() { account }: SignedIn, @Param('id') id: string) {
    return this.#registry.get(account.id, id);
  }

  @Describe('Adds and pins the files of a multipart body: one file, or one folder as a directory.')
  @HttpCode(200)
  @Post('files')
  async add(
    @Me() { account }: SignedIn,
    @TakesQuery(addQuery) { name, upload, kind }: z.infer<typeof addQuery>,
    @Req() request: Request,
    @Res() response: Response,
  ) {
    const type = request.headers['content-type'] ?? '';
    const length = request.headers['content-length'];
    const options = new URLSearchParams({
      pin: 'true',
      ...(name !== '' && { 'pin-name': name }),
      // Only directories are listed. No line is written before all files arrived, so that a refusal keeps its status.
      ...(kind === 'folder' && { silent: 'true' }),
    });
    const note = (state: Parameters<UploadRegistry['set']>[2]) => this.#registry.set(account.id, upload, state);
    try {
      const answer = await this.upstream.storage(account.id, `add?${options}`, {
        body: relayOf(request, (bytes) => note({ state: 'receiving', bytes })),
        headers: { 'content-type': type, ...(length !== undefined && { 'content-length': length }) },
        signal: endOf(response),
      });
      const { Hash: cid, Name } = await rootOfAdd(answer);
      note({ state: 'stored', cid, name: name || Name });
      response.json({ cid, name: name || Name });
    } catch (error) {
      const { status, body } = errorAnswerOf(error);
      note({ state: 'refused', status, error: body });
      throw error;
    }
  }
}

/**
 * Body of a request as a separate stream. An HTTP client destroys the stream that it sends when the answer arrives early. The
 * connection of the browser must survive that, since it carries the answer.
 */
function relayOf(request: Request, onBytes: (received: number) => void): PassThrough {
  const relay = new PassThrough();
  let received = 0;
  request.on('data', (chunk: Buffer) => {
    received += chunk.length;
    onBytes(received);
  });
  // Ignored: the answer reports the failure. An error here concerns the copy only.
  relay.on('error', () => {});
  request.once('close', () => {
    if (!request.complete) relay.destroy(new Error('the client closed the connection'));
  });
  return request.pipe(relay);
}

function called(name: string): string {
  return name === '' ? 'The upload' : JSON.stringify(name);
}

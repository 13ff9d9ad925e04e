import { PassThrough } from 'node:stream';
import type { SignedIn } from '@cairn/auth';
import { Controller, Get, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import * as z from 'zod';
import { errorAnswerOf } from '../console-error.filter.ts';
import { Describe, TakesBody, TakesQuery } from '../describe.ts';
import { Me } from '../session.ts';
import { rootOfAdd } from '../uploads/add-answer.ts';
import { UploadRegistry } from '../uploads/upload-registry.ts';
import { UploadRoom } from '../uploads/upload-room.ts';
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
    @Inject(UploadRoom) private readonly room: UploadRoom,
  ) {}

  @Describe('Announces an upload. It is refused here if the account has no card or too little quota.')
  @Post('uploads')
  async announce(@Me() { account }: SignedIn, @TakesBody(announcement) asked: z.infer<typeof announcement>) {
    await this.room.require(account.id, asked);
    return { id: this.#registry.announce(account.id) };
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

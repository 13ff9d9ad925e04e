import type { SignedIn } from '@cairn/auth';
import { CairnError } from '@cairn/errors';
import { Controller, Delete, Head, HttpCode, Inject, Param, Patch, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import * as z from 'zod';
import { Describe, TakesBody } from '../describe.ts';
import { Me } from '../session.ts';
import { addFile } from '../uploads/add-file.ts';
import { ResumableUploads } from '../uploads/resumable-uploads.ts';
import { UploadRoom } from '../uploads/upload-room.ts';
import { endOf, Upstream } from '../upstream.ts';

const finishBody = z.strictObject({ name: z.string().max(255, 'expected at most 255 characters').default('') });

/** Uploads that can be resumed (tus 1.0.0): created, continued, then added and pinned. */
@Controller('api/tus')
export class ResumableUploadsController {
  constructor(
    @Inject(ResumableUploads) private readonly uploads: ResumableUploads,
    @Inject(UploadRoom) private readonly room: UploadRoom,
    @Inject(Upstream) private readonly upstream: Upstream,
  ) {}

  @Describe('Begins a resumable upload of Upload-Length bytes (tus). Refused as an announced upload is.', 'text/plain')
  @Post()
  async create(@Me() { account }: SignedIn, @Req() request: Request, @Res() response: Response): Promise<void> {
    const bytes = Number(request.headers['upload-length']);
    if (!Number.isSafeInteger(bytes) || bytes < 1)
      throw new CairnError('VALUE_INVALID', 'Upload-Length: expected the bytes of the upload.', {
        details: { field: 'Upload-Length' },
      });
    const reserved = await this.uploads.requirePlace(account.id, bytes);
    await this.room.require(account.id, { name: '', bytes, reserved });
    await this.uploads.handle(account.id, request, response);
  }

  @Describe('Received bytes of a resumable upload, in the header Upload-Offset (tus).', 'text/plain')
  @Head(':id')
  async state(@Me() me: SignedIn, @Param('id') id: string, @Req() request: Request, @Res() response: Response) {
    await this.#pass(me, id, request, response);
  }

  @Describe('Sends bytes of a resumable upload from Upload-Offset on (tus).', 'text/plain')
  @Patch(':id')
  async send(@Me() me: SignedIn, @Param('id') id: string, @Req() request: Request, @Res() response: Response) {
    await this.#pass(me, id, request, response);
  }

  @Describe('Cancels a resumable upload (tus).', 'text/plain')
  @Delete(':id')
  async cancel(@Me() me: SignedIn, @Param('id') id: string, @Req() request: Request, @Res() response: Response) {
    await this.#pass(me, id, request, response);
  }

  @Describe('Adds and pins a complete upload. A repeated request after a failure has the same result.')
  @HttpCode(200)
  @Post(':id/add')
  async add(
    @Me() { account }: SignedIn,
    @Param('id') id: string,
    @TakesBody(finishBody) { name }: z.infer<typeof finishBody>,
    @Res({ passthrough: true }) response: Response,
  ) {
    const upload = await this.uploads.received(account.id, id);
    const cid = await addFile(this.upstream, account.id, { name, upload, signal: endOf(response) });
    await this.uploads.remove(id);
    return { cid, name };
  }

  async #pass({ account }: SignedIn, id: string, request: Request, response: Response): Promise<void> {
    await this.uploads.require(account.id, id);
    await this.uploads.handle(account.id, request, response);
  }
}

import type { SignedIn } from '@cairn/auth';
import { Controller, Delete, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import * as z from 'zod';
import { Describe, TakesBody } from '../describe.ts';
import { Me } from '../session.ts';
import { storageRefusal } from '../uploads/storage-refusal.ts';
import { Upstream, type UpstreamAnswer } from '../upstream.ts';

const newRequest = z.strictObject({
  cid: z.string({ error: 'expected a CID' }).trim().min(1, 'expected a CID').max(256, 'expected a CID'),
  name: z.string().trim().max(255, 'expected 255 characters at most').optional(),
  origins: z.array(z.string().max(1000)).max(20, 'expected 20 addresses at most').optional(),
});
const requestId = z.string().regex(/^[\w-]{1,64}$/);

/** Requests on the page: the newest of each status. */
const rowsMax = 100;

/** Object `PinStatus` of the Pinning Service API, as far as pages show it. */
interface PinStatus {
  readonly requestid: string;
  readonly status: 'queued' | 'pinning' | 'pinned' | 'failed';
  readonly created: string;
  readonly pin: { readonly cid: string; readonly name?: string; readonly origins?: readonly string[] };
  readonly info?: Readonly<Record<string, string>>;
}

/** Fetches of content by its CID: the pin requests of the account. */
@Controller('api/pin-requests')
export class PinRequestsController {
  constructor(@Inject(Upstream) private readonly upstream: Upstream) {}

  @Describe('The newest pin requests that wait, run or have failed, with their progress or reason.')
  @Get()
  async list(@Me() { account }: SignedIn) {
    const path = `pins?status=queued,pinning,failed&limit=${rowsMax}`;
    const answer = await this.upstream.pinningService(account.id, path, { payer: 'service' });
    const { count, results } = await resultOf<{ count: number; results: readonly PinStatus[] }>(answer, 200);
    return { count, requests: results.map(shown) };
  }

  @Describe('One pin request.')
  @Get(':id')
  async get(@Me() { account }: SignedIn, @Param('id') id: string) {
    const answer = await this.upstream.pinningService(account.id, pathOf(id), { payer: 'service' });
    return shown(await resultOf<PinStatus>(answer, 200));
  }

  @Describe('Requests content by its CID. It is fetched from other nodes and pinned.')
  @HttpCode(202)
  @Post()
  async add(@Me() { account }: SignedIn, @TakesBody(newRequest) { name, ...body }: z.infer<typeof newRequest>) {
    const wanted = { ...body, ...(name && { name }) };
    const answer = await this.upstream.pinningService(account.id, 'pins', { method: 'POST', body: wanted });
    return shown(await resultOf<PinStatus>(answer, 202));
  }

  @Describe('Replaces a failed pin request by a new one for the same content.')
  @HttpCode(202)
  @Post(':id/retry')
  async retry(@Me() { account }: SignedIn, @Param('id') id: string) {
    const path = pathOf(id);
    const { pin } = await resultOf<PinStatus>(await this.upstream.pinningService(account.id, path), 200);
    const answer = await this.upstream.pinningService(account.id, path, { method: 'POST', body: pin });
    return shown(await resultOf<PinStatus>(answer, 202));
  }

  @Describe('Removes a pin request. A running fetch stops.')
  @Delete(':id')
  async remove(@Me() { account }: SignedIn, @Param('id') id: string) {
    const answer = await this.upstream.pinningService(account.id, pathOf(id), { method: 'DELETE' });
    if (answer.status !== 202) throw storageRefusal(answer.status, await answer.body.text());
    await answer.body.dump();
    return {};
  }
}

function pathOf(id: string): string {
  // An id with other characters does not exist. The storage API reports it.
  return `pins/${requestId.safeParse(id).data ?? 'unknown'}`;
}

/** Parses an answer. @throws an error of the console for another status */
async function resultOf<T>({ status, headers, body }: UpstreamAnswer, expected: number): Promise<T> {
  const text = await body.text();
  if (status !== expected) throw storageRefusal(status, text, headers);
  return JSON.parse(text) as T;
}

function shown({ requestid, status, created, pin, info = {} }: PinStatus) {
  return {
    id: requestid,
    status,
    createdAt: Date.parse(created),
    cid: pin.cid,
    name: pin.name ?? '',
    reason: info.status_details,
    ...(info.bytes !== undefined && { fetched: { bytes: Number(info.bytes), blocks: Number(info.blocks ?? 0) } }),
  };
}

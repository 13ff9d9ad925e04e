import type { SignedIn } from '@cairn/auth';
import { type CID, parseCid } from '@cairn/cid';
import { type Pin, PinNotFoundError } from '@cairn/pinning';
import { Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post } from '@nestjs/common';
import * as z from 'zod';
import { Describe, TakesBody, TakesQuery } from '../describe.ts';
import { cidForms } from '../files/cid-forms.ts';
import { FileKinds } from '../files/file-kinds.ts';
import { FileLists, fileOrders, nameOf } from '../files/file-list.ts';
import { Me } from '../session.ts';
import type { ConsoleStores } from '../stores.ts';
import { STORES } from '../tokens.ts';
import { storageRefusal } from '../uploads/storage-refusal.ts';
import { Upstream } from '../upstream.ts';

/** Rows of one page, and files of one bulk action. */
/** Rows of a page. */
const pageRows = 50;
/** CIDs of one change. */
const changedMax = 100;

const listQuery = z.object({
  search: z.string().max(256).default(''),
  sort: z.enum(fileOrders, { error: `expected one of ${fileOrders.join(', ')}` }).default('createdAt'),
  order: z.enum(['ascending', 'descending'], { error: 'expected ascending or descending' }).default('descending'),
  page: z.coerce
    .number({ error: 'expected a page number' })
    .int('expected a whole number')
    .min(1, 'expected 1 or more')
    .max(1_000_000, 'expected 1,000,000 at most')
    .default(1),
});
const newName = z.object({
  name: z.string().trim().min(1, 'expected a name').max(255, 'expected 255 characters at most'),
});
const cidList = z.object({
  cids: z
    .array(z.string().max(512), { error: 'expected a list of CIDs' })
    .min(1, 'expected at least one CID')
    .max(changedMax, `expected ${changedMax} CIDs at most`),
});

/** The pins of the account. */
@Controller('api/files')
export class FilesController {
  constructor(
    @Inject(STORES) private readonly stores: ConsoleStores,
    @Inject(Upstream) private readonly upstream: Upstream,
    @Inject(FileKinds) private readonly kinds: FileKinds,
    @Inject(FileLists) private readonly lists: FileLists,
  ) {}

  @Describe('A page of the pins whose name or CID contains the given text. `count` is the number of all such pins.')
  @Get()
  async list(
    @Me() { account }: SignedIn,
    @TakesQuery(listQuery) { search, sort, order, page }: z.infer<typeof listQuery>,
  ) {
    const isDescending = order === 'descending';
    const [{ files, count }, usage] = await Promise.all([
      this.lists.page(account.id, { search, sort, isDescending, offset: (page - 1) * pageRows, limit: pageRows }),
      this.stores.pins.usage(account.id),
    ]);
    const kinds = await this.kinds.of(
      account.id,
      files.map(({ cid }) => cid),
    );
    return {
      files: files.map(({ cid, ...row }) => ({ ...row, cid: cid.toString(), kind: kinds.get(cid.toString()) })),
      count,
      pageRows,
      usage,
    };
  }

  @Describe('A pin with its CID in each form, its size and its number of blocks.')
  @Get(':cid/details')
  async details(@Me() { account }: SignedIn, @Param('cid') text: string) {
    const pin = await this.#pin(account.id, parseCid(text));
    const kinds = await this.kinds.of(account.id, [pin.cid]);
    return { ...shown(pin), ...cidForms(pin.cid), kind: kinds.get(pin.cid.toString()) };
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
    await this.#change(account.id, `pin/add?${options}`);
    return shown(await this.#pin(account.id, cid));
  }

  @Describe('Removes a pin.')
  @Delete(':cid')
  async unpin(@Me() { account }: SignedIn, @Param('cid') cid: string) {
    await this.#change(account.id, `pin/rm?arg=${encodeURIComponent(cid)}`);
    return {};
  }

  @Describe('Removes all of these pins, or none.')
  @HttpCode(200)
  @Post('unpin')
  async unpinAll(@Me() { account }: SignedIn, @TakesBody(cidList) { cids }: z.infer<typeof cidList>) {
    const options = new URLSearchParams(
      [...new Set(cids)].map((cid): [string, string] => ['arg', parseCid(cid).toString()]),
    );
    await this.#change(account.id, `pin/rm?${options}`);
    return {};
  }

  async #change(accountId: string, command: string): Promise<void> {
    const { status, headers, body } = await this.upstream.storage(accountId, command);
    if (status !== 200) throw storageRefusal(status, await body.text(), headers);
    await body.dump();
    this.lists.forget(accountId);
  }

  /** @throws PIN_NOT_FOUND */
  async #pin(accountId: string, cid: CID): Promise<Pin> {
    const pin = await this.stores.pins.get(accountId, cid);
    if (pin === undefined) throw new PinNotFoundError(cid.toString());
    return pin;
  }
}

function shown(pin: Pin) {
  const { cid, mode, createdAt, size } = pin;
  return { cid: cid.toString(), name: nameOf(pin), mode, createdAt, ...size };
}

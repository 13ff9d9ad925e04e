import type { SignedIn } from '@cairn/auth';
import { Controller, Delete, Get, HttpCode, Inject, Param, Post } from '@nestjs/common';
import * as z from 'zod';
import { Describe, TakesBody } from '../describe.ts';
import { Me } from '../session.ts';
import { storageRefusal } from '../uploads/storage-refusal.ts';
import { Upstream } from '../upstream.ts';

const keyName = z
  .string({ error: 'expected a name' })
  .trim()
  .min(1, 'expected a name')
  .max(128, 'expected 128 characters at most');
const newKey = z.strictObject({ name: keyName });
const publication = z.strictObject({
  path: z
    .string({ error: 'expected /ipfs/ and a CID' })
    .trim()
    .regex(/^\/ip[fn]s\/[^\s]{1,4000}$/, 'expected /ipfs/ and a CID, such as /ipfs/bafy…'),
});

/** Names whose values are read concurrently for a page. */
const concurrentReads = 4;
/** Names on the page. */
const rowsMax = 200;

interface Key {
  readonly Name: string;
  readonly Id: string;
}

/** The IPNS names of the account: keys, and the paths that they point to. */
@Controller('api/names')
export class NamesController {
  constructor(@Inject(Upstream) private readonly upstream: Upstream) {}

  @Describe('The IPNS names of the account with the paths that they point to.')
  @Get()
  async list(@Me() { account }: SignedIn) {
    const { Keys: keys } = await this.#read<{ Keys: readonly Key[] }>(account.id, 'key/list?ipns-base=base36');
    const rows = keys.slice(0, rowsMax).map(({ Name: name, Id: id }) => ({ name, id, path: '' }));
    const waiting = [...rows];
    const work = async () => {
      for (let row = waiting.pop(); row !== undefined; row = waiting.pop())
        row.path = await this.#path(account.id, row.id);
    };
    await Promise.all(Array.from({ length: concurrentReads }, work));
    return { names: rows, count: keys.length };
  }

  @Describe('Creates a key, whose hash is a new IPNS name.')
  @Post()
  async create(@Me() { account }: SignedIn, @TakesBody(newKey) { name }: z.infer<typeof newKey>) {
    const options = new URLSearchParams({ arg: name, type: 'ed25519', 'ipns-base': 'base36' });
    const { Name, Id } = await this.#change<Key>(account.id, `key/gen?${options}`);
    return { name: Name, id: Id, path: '' };
  }

  @Describe('Publishes a path under a name.')
  @HttpCode(200)
  @Post(':name/publish')
  async publish(
    @Me() { account }: SignedIn,
    @Param('name') name: string,
    @TakesBody(publication) { path }: z.infer<typeof publication>,
  ) {
    const options = new URLSearchParams({ arg: path, key: name, 'ipns-base': 'base36', 'allow-offline': 'true' });
    const { Name, Value } = await this.#change<{ Name: string; Value: string }>(account.id, `name/publish?${options}`);
    return { name, id: Name, path: Value };
  }

  @Describe('Removes a key. Its name can no longer be changed and ends with its record.')
  @Delete(':name')
  async remove(@Me() { account }: SignedIn, @Param('name') name: string) {
    await this.#change(account.id, `key/rm?${new URLSearchParams({ arg: name })}`);
    return {};
  }

  /** Returns the path of a name, or an empty text for a name without a valid record. */
  async #path(accountId: string, id: string): Promise<string> {
    const options = new URLSearchParams({ arg: `/ipns/${id}`, recursive: 'false', offline: 'true' });
    const answer = await this.upstream.storage(accountId, `name/resolve?${options}`, { payer: 'service' });
    const text = await answer.body.text();
    return answer.status === 200 ? (JSON.parse(text) as { readonly Path: string }).Path : '';
  }

  #read<T>(accountId: string, command: string): Promise<T> {
    return this.#send(accountId, command, { payer: 'service' });
  }

  #change<T>(accountId: string, command: string): Promise<T> {
    return this.#send(accountId, command, {});
  }

  async #send<T>(accountId: string, command: string, options: { readonly payer?: 'service' }): Promise<T> {
    const { status, headers, body } = await this.upstream.storage(accountId, command, options);
    const text = await body.text();
    if (status !== 200) throw storageRefusal(status, text, headers);
    return JSON.parse(text) as T;
  }
}

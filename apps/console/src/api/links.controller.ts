import { Auth, type SignedIn } from '@cairn/auth';
import { parseCid } from '@cairn/cid';
import { CairnError } from '@cairn/errors';
import { Controller, HttpCode, Inject, Post } from '@nestjs/common';
import * as z from 'zod';
import type { Addresses } from '../addresses.ts';
import { Describe, TakesBody } from '../describe.ts';
import { Me } from '../session.ts';
import { ADDRESSES } from '../tokens.ts';

const daySeconds = 86_400;
const newLink = z.strictObject({
  cid: z.string({ error: 'expected a CID' }).min(1, 'expected a CID').max(256, 'expected a CID'),
  /** Path below the CID. */
  path: z.string().max(1500, 'expected 1500 characters at most').default(''),
  key: z.string({ error: 'expected the id of a key' }).max(128),
  expiresInSeconds: z
    .number({ error: 'expected seconds' })
    .int('expected whole seconds')
    .min(60, 'expected 60 seconds at least')
    .max(366 * daySeconds, 'expected 366 days at most'),
});

/** Links that open content in the IPFS gateway without a key. */
@Controller('api/links')
export class LinksController {
  constructor(
    @Inject(Auth) private readonly auth: Auth,
    @Inject(ADDRESSES) private readonly addresses: Addresses,
  ) {}

  @Describe('Signs a link to content, with the permissions of a key of the account. The account pays for its reads.')
  @HttpCode(200)
  @Post()
  async sign(@Me() { account }: SignedIn, @TakesBody(newLink) wanted: z.infer<typeof newLink>) {
    const keys = await this.auth.keys(account.id);
    // The same error for the key of another account as for one that does not exist.
    if (!keys.some(({ id }) => id === wanted.key)) throw new CairnError('KEY_NOT_FOUND', 'There is no such key.');
    const below = wanted.path.split('/').filter(Boolean);
    const path = ['/ipfs', parseCid(wanted.cid).toString(), ...below].join('/');
    const expiresAt = Date.now() + wanted.expiresInSeconds * 1000;
    const link = await this.auth.signContentLink(wanted.key, { path, expiresAt });
    const url = new URL(this.addresses.publicIpfsGateway);
    url.pathname = path.split('/').map(encodeURIComponent).join('/');
    url.searchParams.set('cairn-link', link);
    return { url: url.href, expiresAt };
  }
}

import { type ApiKey, Auth, type KeyPolicy, keyGrants, keyReference, type SignedIn } from '@cairn/auth';
import { CairnError } from '@cairn/errors';
import { Controller, Get, HttpCode, Inject, Param, Patch, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import * as z from 'zod';
import { Describe, TakesBody } from '../describe.ts';
import { actorOf, Me } from '../session.ts';
import type { ConsoleStores } from '../stores.ts';
import { STORES } from '../tokens.ts';

const list = z.array(z.string({ error: 'expected texts' }), { error: 'expected a list' }).optional();
const policy = z
  .strictObject({
    storage: z.array(z.enum(['read', 'add', 'pin'], { error: 'expected read, add or pin' })).optional(),
    networks: list,
    methods: list,
    contracts: list,
    origins: list,
    addresses: list,
    grants: z.array(z.enum(keyGrants, { error: 'expected send, node or call-without-from' })).optional(),
  })
  .optional();
const expiresAt = z.number({ error: 'expected milliseconds since 1970' }).optional();
const createBody = z.strictObject({ name: z.string({ error: 'expected a name' }), policy, expiresAt });
const limitBody = z.object({ policy, expiresAt });
const rotateBody = z.strictObject({
  graceMs: z
    .number({ error: 'expected milliseconds' })
    .int()
    .min(0)
    .max(30 * 86_400_000)
    .default(86_400_000),
});

/** Most active keys of one account. */
const keysMax = 100;

/** The keys of the account. */
@Controller('api/keys')
export class KeysController {
  constructor(
    @Inject(Auth) private readonly auth: Auth,
    @Inject(STORES) private readonly stores: ConsoleStores,
  ) {}

  @Describe('The keys of the account, without their secrets.')
  @Get()
  async list(@Me() { account }: SignedIn) {
    const used = await this.stores.usage.lastUsed(account.id);
    const keys = await this.auth.keys(account.id);
    return keys
      .map((key) => ({ ...shown(key), lastUsedAt: used.get(keyReference(key.id)) }))
      .sort((one, other) => other.createdAt - one.createdAt);
  }

  @Describe('Creates a key. Its secret is in this answer only.')
  @Post()
  async create(
    @Me() me: SignedIn,
    @TakesBody(createBody) { name, policy: wanted, expiresAt: end }: z.infer<typeof createBody>,
    @Req() request: Request,
  ) {
    const alive = (await this.auth.keys(me.account.id)).filter(({ revokedAt }) => revokedAt === undefined);
    if (alive.length >= keysMax)
      throw new CairnError('VALUE_INVALID', `The account has ${keysMax} keys, the most allowed. Revoke one first.`);
    requireGrantable(me, wanted?.grants);
    const auth = this.auth.as(actorOf(me, request));
    const { key, secret } = await auth.createKey(me.account.id, {
      name,
      ...(wanted && { policy: wanted as KeyPolicy }),
      ...(end !== undefined && { expiresAt: end }),
    });
    return { key: shown(key), secret };
  }

  @Describe('Sets the scopes, limits and expiry of a key.')
  @Patch(':id')
  async limit(
    @Me() me: SignedIn,
    @Param('id') id: string,
    @TakesBody(limitBody) { policy: wanted, expiresAt: end }: z.infer<typeof limitBody>,
    @Req() request: Request,
  ) {
    const { policy: held } = await this.#own(me, id);
    requireGrantable(me, wanted?.grants, held?.grants);
    const changed = await this.auth.as(actorOf(me, request)).limitKey(id, {
      ...(wanted && { policy: wanted as KeyPolicy }),
      ...(end !== undefined && { expiresAt: end }),
    });
    return shown(changed);
  }

  @Describe('Rotates the secret of a key. The old secret works until the grace period ends.')
  @HttpCode(200)
  @Post(':id/rotate')
  async rotate(
    @Me() me: SignedIn,
    @Param('id') id: string,
    @TakesBody(rotateBody) { graceMs }: z.infer<typeof rotateBody>,
    @Req() request: Request,
  ) {
    await this.#own(me, id);
    const { key, secret } = await this.auth.as(actorOf(me, request)).rotateKey(id, { graceMs });
    return { key: shown(key), secret };
  }

  @Describe('Revokes a key immediately.')
  @HttpCode(200)
  @Post(':id/revoke')
  async revoke(@Me() me: SignedIn, @Param('id') id: string, @Req() request: Request) {
    await this.#own(me, id);
    return shown(await this.auth.as(actorOf(me, request)).revokeKey(id));
  }

  /** @throws KEY_NOT_FOUND, also for a key of another account */
  async #own({ account }: SignedIn, id: string): Promise<ApiKey> {
    const keys = await this.auth.keys(account.id);
    const own = keys.find((key) => key.id === id);
    if (own === undefined) throw new CairnError('KEY_NOT_FOUND', 'The account has no key with this id.');
    return own;
  }
}

/** Refuses the grant `node` from other members than operators, unless the key has it. @throws NOT_AN_OPERATOR */
function requireGrantable(
  { member }: SignedIn,
  grants: KeyPolicy['grants'] = [],
  held: KeyPolicy['grants'] = [],
): void {
  if (member.role === 'operator' || !grants.includes('node') || held.includes('node')) return;
  throw new CairnError('NOT_AN_OPERATOR', 'Only operators grant a key the scope "node".');
}

/** A key without the hashes of its secrets. */
function shown({ secrets, accountId: _, ...key }: ApiKey) {
  const rotating = secrets.find(({ expiresAt: end }) => end !== undefined && end > Date.now());
  return { ...key, reference: keyReference(key.id), oldSecretEndsAt: rotating?.expiresAt };
}

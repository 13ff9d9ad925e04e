import { type AccountStore, Members, type Passkey, type SignedIn } from '@cairn/auth';
import { ACCOUNT_STORE } from '@cairn/auth/nest';
import { type LimitStore, limitReached } from '@cairn/metering';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Controller, Delete, Get, HttpCode, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { Request, Response } from 'express';
import * as z from 'zod';
import { Describe, TakesBody } from '../describe.ts';
import { publicUrl } from '../mail/mail-links.ts';
import { Passkeys, type Site } from '../passkeys/passkeys.ts';
import { actorOf, clientOf, Me, Open, SessionCookie } from '../session.ts';
import type { ConsoleSettings } from '../settings.ts';
import type { ConsoleStores } from '../stores.ts';
import { STORES } from '../tokens.ts';

const text = z.string({ error: 'expected a text' }).max(16_384, 'expected fewer characters');
/** Credential of the browser as JSON (Web Authentication Level 3). The library checks its contents. */
const credential = z.looseObject({
  id: text.max(2048),
  rawId: text.max(2048),
  type: z.literal('public-key', { error: 'expected public-key' }),
  response: z.looseObject({ clientDataJSON: text }),
});
const newPasskey = z.strictObject({
  name: text.regex(/^[^\p{C}]{1,64}$/u, 'expected 1 to 64 characters on one line'),
  response: credential,
});
const signInBody = z.strictObject({ response: credential });

/** Token bucket of challenges of one address: 30, then one more every two seconds. */
const challenges = { kind: 'bucket', ratePerSecond: 0.5, capacity: 30 } as const;

/** Passkeys: add and remove them, and sign in with one. */
@Controller('api')
export class PasskeysController {
  readonly #passkeys: Passkeys;
  readonly #limits: LimitStore;

  constructor(
    @Inject(ACCOUNT_STORE) { members: store }: AccountStore,
    @Inject(Members) private readonly members: Members,
    @Inject(SessionCookie) private readonly cookie: SessionCookie,
    @Inject(SETTINGS) private readonly settings: ConsoleSettings,
    @Inject(STORES) { limits }: ConsoleStores,
  ) {
    this.#passkeys = new Passkeys({ store });
    this.#limits = limits;
  }

  @Describe('Passkeys of the member.')
  @Get('me/passkeys')
  list(@Me() { member }: SignedIn) {
    return (member.passkeys ?? []).map(shown);
  }

  @Describe('Options with which the browser creates a passkey.')
  @HttpCode(200)
  @Post('me/passkeys/options')
  async beginAdding(@Me() { member }: SignedIn, @Req() request: Request) {
    await this.#requireChallenge(request);
    return await this.#passkeys.beginAdding(member, this.#site(request));
  }

  @Describe('Adds a passkey that the browser created.')
  @Post('me/passkeys')
  async add(@Me() me: SignedIn, @TakesBody(newPasskey) body: z.infer<typeof newPasskey>, @Req() request: Request) {
    const { name, response } = body;
    const answer = response as unknown as RegistrationResponseJSON;
    const options = { name, response: answer, site: this.#site(request), actor: actorOf(me, request) };
    return shown(await this.#passkeys.add(me.member, options));
  }

  @Describe('Removes a passkey.')
  @Delete('me/passkeys/:id')
  async remove(@Me() me: SignedIn, @Param('id') id: string, @Req() request: Request) {
    await this.#passkeys.remove(me.member, id, actorOf(me, request));
    return {};
  }

  @Describe('Options with which the browser offers the passkeys of this site.')
  @Open()
  @HttpCode(200)
  @Post('passkeys/options')
  async beginSignIn(@Req() request: Request) {
    await this.#requireChallenge(request);
    return await this.#passkeys.beginSignIn(this.#site(request));
  }

  @Describe('Signs in with a passkey and sets the session cookie.')
  @Open()
  @HttpCode(200)
  @Post('passkeys/sign-in')
  async signIn(
    @TakesBody(signInBody) { response }: z.infer<typeof signInBody>,
    @Req() request: Request,
    @Res({ passthrough: true }) answer: Response,
  ) {
    const signed = response as unknown as AuthenticationResponseJSON;
    const member = await this.#passkeys.signIn(signed, this.#site(request));
    this.cookie.set(answer, (await this.members.enter(member, clientOf(request))).token);
    return {};
  }

  /** Limits challenges, which are stored. @throws LIMIT_REACHED */
  async #requireChallenge({ ip }: Request): Promise<void> {
    const key = `passkey\0${ip ?? 'unknown'}`;
    const [taken] = await this.#limits.take([{ key, rule: challenges, min: 1, want: 1 }]);
    if (taken === undefined || taken.granted > 0) return;
    const retryAfterSeconds = Math.ceil(taken.retryAfterMs / 1000);
    throw limitReached({ limit: 'requestsPerSecond', allowed: 0, used: 0, plan: 'sign-in', retryAfterSeconds });
  }

  #site(request: Request): Site {
    return new URL(publicUrl(this.settings, request));
  }
}

function shown({ id, name, createdAt, usedAt }: Passkey) {
  return { id, name, createdAt, usedAt };
}

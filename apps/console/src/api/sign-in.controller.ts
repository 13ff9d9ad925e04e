import { Members, type SignedIn } from '@cairn/auth';
import { CairnError } from '@cairn/errors';
import { type LimitStore, limitReached } from '@cairn/metering';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Controller, Delete, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import QRCode from 'qrcode';
import * as z from 'zod';
import { Describe, TakesBody } from '../describe.ts';
import { sessionTokenOf } from '../entrance.ts';
import { MailboxMails } from '../mail/mailbox-mails.ts';
import { actorOf, clientOf, Me, Open, SessionCookie } from '../session.ts';
import type { ConsoleSettings } from '../settings.ts';
import type { ConsoleStores } from '../stores.ts';
import { STORES } from '../tokens.ts';

const text = (what: string) => z.string({ error: `expected ${what}` }).max(1024, 'expected fewer characters');
const email = text('an e-mail address');
const password = text('a password');
const signUpBody = z.object({ email, password, accountName: text('a name for the account') });
const signInBody = z.object({ email, password, code: text('a code').optional() });
const passwordBody = z.object({ before: password, after: password });
const codeBody = z.object({ code: text('a code of six digits') });

/** Token bucket of accounts that one address may create: 20, then one more every three minutes. */
const signUps = { kind: 'bucket', ratePerSecond: 1 / 180, capacity: 20 } as const;

/** Sign-up, sign-in and sign-out, passwords and second factors. */
@Controller('api')
export class SignInController {
  readonly #limits: LimitStore;

  constructor(
    @Inject(Members) private readonly members: Members,
    @Inject(SessionCookie) private readonly cookie: SessionCookie,
    @Inject(SETTINGS) private readonly settings: ConsoleSettings,
    @Inject(STORES) { limits }: ConsoleStores,
    @Inject(MailboxMails) private readonly mails: MailboxMails,
  ) {
    this.#limits = limits;
  }

  @Describe('Creates an account and signs in.')
  @Open()
  @Post('sign-up')
  async signUp(
    @TakesBody(signUpBody) wanted: z.infer<typeof signUpBody>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    if (this.settings.CAIRN_SIGN_UP === 'closed')
      throw new CairnError('SIGN_UP_CLOSED', 'Sign-up is closed. Ask the operator of this service for an account.');
    const address = request.ip ?? 'unknown';
    await this.#requireSignUps(address);
    const actor = { who: 'visitor', from: address };
    const made = await this.members.signUp({ ...wanted, plan: this.settings.CAIRN_SIGN_UP_PLAN, actor });
    await this.#enter(wanted, request, response);
    if (this.mails.isConfigured) this.mails.sendFirstVerification(made.member, request);
    return { account: { id: made.account.id, name: made.account.name } };
  }

  async #requireSignUps(address: string): Promise<void> {
    const [taken] = await this.#limits.take([{ key: `sign-up\0${address}`, rule: signUps, min: 1, want: 1 }]);
    if (taken === undefined || taken.granted > 0) return;
    const retryAfterSeconds = Math.ceil(taken.retryAfterMs / 1000);
    throw limitReached({ limit: 'requestsPerSecond', allowed: 0, used: 0, plan: 'sign-up', retryAfterSeconds });
  }

  @Describe('Signs in and sets the session cookie.')
  @Open()
  @HttpCode(200)
  @Post('sign-in')
  async signIn(
    @TakesBody(signInBody) body: z.infer<typeof signInBody>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    await this.#enter(body, request, response);
    return {};
  }

  async #enter(credentials: z.infer<typeof signInBody>, request: Request, response: Response): Promise<void> {
    const { token } = await this.members.signIn(credentials, clientOf(request));
    this.cookie.set(response, token);
  }

  @Describe('Ends the session.')
  @Open()
  @HttpCode(200)
  @Post('sign-out')
  async signOut(@Req() request: Request, @Res({ passthrough: true }) response: Response) {
    const token = sessionTokenOf(request);
    if (token !== undefined) await this.members.signOut(token);
    this.cookie.clear(response);
    return {};
  }

  @Describe('Changes the password and ends all other sessions.')
  @HttpCode(200)
  @Post('me/password')
  async changePassword(
    @Me() me: SignedIn,
    @TakesBody(passwordBody) change: z.infer<typeof passwordBody>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    await this.members.changePassword(me, { ...change, actor: actorOf(me, request) });
    await this.#enterAgain(me, change.after, request, response);
    return {};
  }

  /** Starts a new session, since the change of the password ended all sessions. */
  async #enterAgain({ member }: SignedIn, secret: string, request: Request, response: Response): Promise<void> {
    if (member.totp?.isConfirmed) this.cookie.clear(response);
    else await this.#enter({ email: member.email, password: secret }, request, response);
  }

  @Describe('Creates a second factor. It is required after it has been confirmed.')
  @HttpCode(200)
  @Post('me/totp')
  async beginTotp(@Me() { member }: SignedIn) {
    const { secret, uri } = await this.members.beginTotp(member);
    return { secret, uri, svg: await QRCode.toString(uri, { type: 'svg', margin: 1 }) };
  }

  @Describe('Confirms the second factor with its first code.')
  @HttpCode(200)
  @Post('me/totp/confirm')
  async confirmTotp(
    @Me() me: SignedIn,
    @TakesBody(codeBody) { code }: z.infer<typeof codeBody>,
    @Req() request: Request,
  ) {
    await this.members.confirmTotp(me.member, code, actorOf(me, request));
    return {};
  }

  @Describe('Removes the second factor.')
  @Delete('me/totp')
  async removeTotp(
    @Me() me: SignedIn,
    @TakesBody(codeBody) { code }: z.infer<typeof codeBody>,
    @Req() request: Request,
  ) {
    await this.members.removeTotp(me.member, code, actorOf(me, request));
    return {};
  }
}

import { Identities, Members } from '@cairn/auth';
import { CairnError, isCairnError } from '@cairn/errors';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { Describe } from '../describe.ts';
import { publicUrl } from '../mail/mail-links.ts';
import { MailboxMails } from '../mail/mailbox-mails.ts';
import { clientOf, Open, SessionCookie } from '../session.ts';
import type { ConsoleSettings } from '../settings.ts';
import { type Attempt, type SingleSignOn, singleSignOnLimits } from '../single-sign-on/single-sign-on.ts';
import { SINGLE_SIGN_ON } from '../tokens.ts';

const attemptCookie = 'cairn_sign_in';
const callbackPath = '/api/oidc/callback';

/** Ways to sign in, and sign-in with an OpenID provider. Its two addresses are opened by the browser, so they answer with redirects. */
@Controller('api')
export class SingleSignOnController {
  constructor(
    @Inject(SINGLE_SIGN_ON) private readonly provider: SingleSignOn | undefined,
    @Inject(Identities) private readonly identities: Identities,
    @Inject(Members) private readonly members: Members,
    @Inject(SessionCookie) private readonly cookie: SessionCookie,
    @Inject(MailboxMails) private readonly mails: MailboxMails,
    @Inject(SETTINGS) private readonly settings: ConsoleSettings,
  ) {}

  @Describe(
    'Reports whether visitors can sign up, whether the console sends mail, and the name of the OpenID provider.',
  )
  @Open()
  @Get('sign-in')
  ways() {
    return {
      hasSignUp: this.settings.CAIRN_SIGN_UP === 'open',
      hasMail: this.mails.isConfigured,
      ...(this.provider && { provider: this.provider.name }),
    };
  }

  @Describe('Redirects to the OpenID provider.', 'text/html')
  @Open()
  @Get('oidc')
  async begin(@Req() request: Request, @Res() response: Response): Promise<void> {
    await this.#redirect(response, async () => {
      const { url, attempt } = await this.#required().begin(`${publicUrl(this.settings, request)}${callbackPath}`);
      const text = [attempt.state, attempt.nonce, attempt.verifier].join('.');
      response.cookie(attemptCookie, text, { ...this.#cookieOptions(), maxAge: singleSignOnLimits.attemptMs });
      return url.href;
    });
  }

  @Describe('Signs in after the return from the OpenID provider, and redirects to the pages.', 'text/html')
  @Open()
  @Get('oidc/callback')
  async finish(@Req() request: Request, @Res() response: Response): Promise<void> {
    await this.#redirect(response, async () => {
      const attempt = attemptOf(request);
      response.clearCookie(attemptCookie, this.#cookieOptions());
      const base = publicUrl(this.settings, request);
      const claims = await this.#required().finish(new URL(`${base}${request.originalUrl}`), attempt);
      const { CAIRN_SIGN_UP: signUp, CAIRN_SIGN_UP_PLAN: plan } = this.settings;
      const from = request.ip ?? 'unknown';
      const member = await this.identities.member(claims, { plan: signUp === 'open' ? plan : undefined, from });
      this.cookie.set(response, (await this.members.enter(member, clientOf(request))).token);
      return '/';
    });
  }

  #required(): SingleSignOn {
    if (this.provider === undefined)
      throw new CairnError('SIGN_IN_UNAVAILABLE', 'This console has no OpenID provider.', {
        details: { reason: 'unavailable' },
      });
    return this.provider;
  }

  /** Redirects to the address that `step` returns. A refusal leads to the sign-in page with its reason. */
  async #redirect(response: Response, step: () => Promise<string>): Promise<void> {
    try {
      response.redirect(302, await step());
    } catch (error) {
      const reason = isCairnError(error) ? error.details?.reason : undefined;
      if (typeof reason !== 'string') throw error;
      response.redirect(302, `/sign-in?refused=${encodeURIComponent(reason)}`);
    }
  }

  /** The provider returns the browser from another site, to which a strict cookie is not sent. */
  #cookieOptions(): CookieOptions {
    return { httpOnly: true, sameSite: 'lax', secure: this.cookie.isSecure, path: '/api/oidc' };
  }
}

/** @throws IDENTITY_REFUSED if the browser kept no attempt */
function attemptOf({ headers }: Request): Attempt {
  const text = headers.cookie?.split(/; */).find((pair) => pair.startsWith(`${attemptCookie}=`));
  const [state = '', nonce = '', verifier] = text?.slice(attemptCookie.length + 1).split('.') ?? [];
  if (verifier === undefined)
    throw new CairnError('IDENTITY_REFUSED', 'The sign-in has expired.', { details: { reason: 'refused' } });
  return { state, nonce, verifier };
}

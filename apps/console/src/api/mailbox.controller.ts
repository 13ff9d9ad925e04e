import { MailboxProofs, type SignedIn } from '@cairn/auth';
import { Controller, HttpCode, Inject, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import * as z from 'zod';
import { Describe, TakesBody } from '../describe.ts';
import { MailboxMails } from '../mail/mailbox-mails.ts';
import { Me, Open } from '../session.ts';

const text = (what: string) => z.string({ error: `expected ${what}` }).max(1024, 'expected fewer characters');
const addressBody = z.object({ email: text('an e-mail address') });
const resetBody = z.object({ token: text('the token of the link'), password: text('a password') });
const tokenBody = z.object({ token: text('the token of the link') });

/** Password reset and e-mail verification through links in mail. */
@Controller('api')
export class MailboxController {
  constructor(
    @Inject(MailboxProofs) private readonly proofs: MailboxProofs,
    @Inject(MailboxMails) private readonly mails: MailboxMails,
  ) {}

  @Describe('Sends a link to set a new password. The answer is the same for an address without a member.')
  @Open()
  @HttpCode(200)
  @Post('password-reset')
  async beginReset(@TakesBody(addressBody) { email }: z.infer<typeof addressBody>, @Req() request: Request) {
    await this.mails.sendPasswordReset(email, request);
    return {};
  }

  @Describe('Sets a new password with the token of a link, and ends all sessions.')
  @Open()
  @HttpCode(200)
  @Post('password-reset/confirm')
  async reset(@TakesBody(resetBody) { token, password }: z.infer<typeof resetBody>, @Req() request: Request) {
    const { email } = await this.proofs.resetPassword(token, password, request.ip ?? 'unknown');
    return { email };
  }

  @Describe('Sends a link that verifies the e-mail address of the member.')
  @HttpCode(200)
  @Post('me/email-verification')
  async beginVerification(@Me() { member }: SignedIn, @Req() request: Request) {
    await this.mails.sendVerification(member, request);
    return {};
  }

  @Describe('Verifies an e-mail address with the token of a link.')
  @Open()
  @HttpCode(200)
  @Post('email-verification')
  async verify(@TakesBody(tokenBody) { token }: z.infer<typeof tokenBody>, @Req() request: Request) {
    const { email } = await this.proofs.verifyEmail(token, request.ip ?? 'unknown');
    return { email };
  }
}

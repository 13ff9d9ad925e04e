import { AccountMembers, accountRoles, Members, type SignedIn } from '@cairn/auth';
import { Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import * as z from 'zod';
import { Describe, TakesBody } from '../describe.ts';
import { MailboxMails } from '../mail/mailbox-mails.ts';
import { actorOf, clientOf, Me, Open, SessionCookie } from '../session.ts';

const text = (what: string) => z.string({ error: `expected ${what}` }).max(1024, 'expected fewer characters');
const role = z.enum(accountRoles, { error: `expected one of ${accountRoles.join(', ')}` });
const inviteBody = z.object({ email: text('an e-mail address'), role });
const roleBody = z.object({ role });
const tokenBody = z.object({ token: text('the token of the link') });
const acceptBody = z.object({ token: text('the token of the link'), password: text('a password') });

/** Members of the account, their roles and invitations. */
@Controller('api')
export class MembersController {
  constructor(
    @Inject(AccountMembers) private readonly team: AccountMembers,
    @Inject(Members) private readonly members: Members,
    @Inject(MailboxMails) private readonly mails: MailboxMails,
    @Inject(SessionCookie) private readonly cookie: SessionCookie,
  ) {}

  @Describe('Members and open invitations of the account.')
  @Get('members')
  async list(@Me() { account, member: me }: SignedIn) {
    const members = await this.team.list(account.id);
    return {
      members: members.map(({ id, email, role: held, totp, emailVerifiedAt, createdAt }) => ({
        id,
        email,
        role: held,
        isMe: id === me.id,
        hasTotp: totp?.isConfirmed ?? false,
        hasVerifiedEmail: emailVerifiedAt !== undefined,
        createdAt,
      })),
      invitations: await this.team.invitations(account.id),
      hasMail: this.mails.isConfigured,
    };
  }

  @Describe('Invites a member by mail. A new invitation replaces an earlier one to the same address.')
  @Post('invitations')
  async invite(@Me() me: SignedIn, @TakesBody(inviteBody) wanted: z.infer<typeof inviteBody>, @Req() request: Request) {
    return await this.mails.sendInvitation(me, { ...wanted, actor: actorOf(me, request) }, request);
  }

  @Describe('Withdraws an invitation.')
  @Delete('invitations/:id')
  async withdraw(@Me() me: SignedIn, @Param('id') id: string, @Req() request: Request) {
    await this.team.withdraw(me.account.id, id, actorOf(me, request));
    return {};
  }

  @Describe('Changes the role of a member.')
  @Patch('members/:id')
  async setRole(
    @Me() me: SignedIn,
    @Param('id') id: string,
    @TakesBody(roleBody) { role: wanted }: z.infer<typeof roleBody>,
    @Req() request: Request,
  ) {
    await this.team.setRole(me.account.id, id, wanted, actorOf(me, request));
    return {};
  }

  @Describe('Removes a member and ends the sessions of the member.')
  @Delete('members/:id')
  async remove(@Me() me: SignedIn, @Param('id') id: string, @Req() request: Request) {
    await this.team.remove(me.account.id, id, actorOf(me, request));
    return {};
  }

  @Describe('Shows the invitation of a link: address, role and account.')
  @Open()
  @HttpCode(200)
  @Post('join')
  async invitation(@TakesBody(tokenBody) { token }: z.infer<typeof tokenBody>) {
    const { invitation, account } = await this.team.invitation(token);
    return { email: invitation.email, role: invitation.role, accountName: account.name };
  }

  @Describe('Accepts an invitation: creates the member and signs in.')
  @Open()
  @Post('join/accept')
  async accept(
    @TakesBody(acceptBody) { token, password }: z.infer<typeof acceptBody>,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { email } = await this.team.accept(token, password, request.ip ?? 'unknown');
    this.cookie.set(response, (await this.members.signIn({ email, password }, clientOf(request))).token);
    return {};
  }
}

import {
  AccountMembers,
  type AccountRole,
  type Actor,
  type Invitation,
  MailboxProofs,
  type Member,
  type SignedIn,
} from '@cairn/auth';
import { CairnError } from '@cairn/errors';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { ConsoleSettings } from '../settings.ts';
import type { ConsoleStores } from '../stores.ts';
import { MAILER, STORES } from '../tokens.ts';
import { countMail } from './mail-counts.ts';
import { mailLink } from './mail-links.ts';
import type { Mailer } from './mailer.ts';
import { emailVerificationMail, invitationMail, passwordResetMail } from './mails.ts';

/** Mails that prove access to a mailbox. */
@Injectable()
export class MailboxMails {
  constructor(
    @Inject(MailboxProofs) private readonly proofs: MailboxProofs,
    @Inject(AccountMembers) private readonly team: AccountMembers,
    @Inject(MAILER) private readonly mailer: Mailer | undefined,
    @Inject(SETTINGS) private readonly settings: ConsoleSettings,
    @Inject(STORES) private readonly stores: ConsoleStores,
  ) {}

  get isConfigured(): boolean {
    return this.mailer !== undefined;
  }

  /** Sends a link to set a new password, if the address has a member. @throws MAIL_NOT_CONFIGURED, MAILS_PAUSED */
  async sendPasswordReset(email: string, request: Request): Promise<void> {
    const mailer = this.#mailer();
    await countMail(this.stores.limits, email, request.ip);
    mailer.post(async () => {
      const proof = await this.proofs.beginPasswordReset(email);
      if (proof === undefined) return undefined;
      const link = mailLink(this.settings, request, { path: 'reset-password', token: proof.token });
      return passwordResetMail(proof.member.email, link);
    });
  }

  /** Sends a link that verifies the address of the member. @throws MAIL_NOT_CONFIGURED, MAILS_PAUSED */
  async sendVerification(member: Member, request: Request): Promise<void> {
    this.#mailer();
    await countMail(this.stores.limits, member.email, request.ip);
    this.sendFirstVerification(member, request);
  }

  /** Sends the link to a new member. Sign-ups are limited, so the mail is not counted. @throws MAIL_NOT_CONFIGURED */
  sendFirstVerification(member: Member, request: Request): void {
    this.#mailer().post(async () => {
      const { token } = await this.proofs.beginEmailVerification(member);
      return emailVerificationMail(member.email, mailLink(this.settings, request, { path: 'verify-email', token }));
    });
  }

  /** Invites a member to the account. @throws MAIL_NOT_CONFIGURED, MAILS_PAUSED, and what `AccountMembers.invite` throws */
  async sendInvitation(
    { account, member }: SignedIn,
    wanted: { readonly email: string; readonly role: AccountRole; readonly actor: Actor },
    request: Request,
  ): Promise<Invitation> {
    const mailer = this.#mailer();
    await countMail(this.stores.limits, wanted.email, request.ip);
    const { invitation, token } = await this.team.invite(account.id, wanted);
    const link = mailLink(this.settings, request, { path: 'join', token });
    const names = { accountName: account.name, by: member.email, role: invitation.role };
    mailer.post(async () => invitationMail(invitation.email, link, names));
    return invitation;
  }

  #mailer(): Mailer {
    if (this.mailer !== undefined) return this.mailer;
    throw new CairnError('MAIL_NOT_CONFIGURED', 'This console sends no mail.', {
      hint: 'Ask the operator of this service, who can set CAIRN_SMTP_URL.',
    });
  }
}

import { AccountAlerts, accountAlertLimits, type SignedIn } from '@cairn/auth';
import type { PinRequestStore } from '@cairn/pinning';
import { Controller, Get, Inject, Put, Req } from '@nestjs/common';
import type { Request } from 'express';
import * as z from 'zod';
import { AlertRunner } from '../alerts/alert-runner.ts';
import { Describe, TakesBody } from '../describe.ts';
import { MailboxMails } from '../mail/mailbox-mails.ts';
import { actorOf, Me } from '../session.ts';
import { PIN_REQUESTS } from '../tokens.ts';

const { thresholdsMax } = accountAlertLimits;
const settings = z.strictObject({
  thresholds: z
    .array(z.number().int('expected whole percentages').min(1, 'expected 1 or more').max(100, 'expected 100 at most'), {
      error: 'expected a list of percentages',
    })
    .max(thresholdsMax, `expected ${thresholdsMax} percentages at most`),
  byMail: z.boolean({ error: 'expected true or false' }),
  byWebhook: z.boolean({ error: 'expected true or false' }),
});

/** Alerts before the limits of the account are reached. */
@Controller('api/alerts')
export class AlertsController {
  constructor(
    @Inject(AccountAlerts) private readonly alerts: AccountAlerts,
    @Inject(AlertRunner) private readonly runner: AlertRunner,
    @Inject(MailboxMails) private readonly mails: MailboxMails,
    @Inject(PIN_REQUESTS) private readonly requests: PinRequestStore,
  ) {}

  @Describe('Thresholds of usage alerts, how they are sent, and what is missing to send them.')
  @Get()
  async get(@Me() { account }: SignedIn) {
    const { thresholds, byMail, byWebhook } = account.alerts ?? { thresholds: [], byMail: true, byWebhook: false };
    return {
      thresholds,
      byMail,
      byWebhook,
      hasMail: this.mails.isConfigured,
      hasWebhook: (await this.requests.webhooks.get(account.id)) !== undefined,
      recipients: await this.runner.recipientCount(account.id),
    };
  }

  @Describe('Replaces the thresholds of usage alerts.')
  @Put()
  async set(@Me() me: SignedIn, @TakesBody(settings) wanted: z.infer<typeof settings>, @Req() request: Request) {
    await this.alerts.set(me.account.id, wanted, actorOf(me, request));
    return {};
  }
}

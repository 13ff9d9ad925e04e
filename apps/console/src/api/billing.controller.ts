import type { SignedIn } from '@cairn/auth';
import { type BillingProvider, createStatement, statementCsv } from '@cairn/billing';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Controller, Get, HttpCode, Inject, Param, Post, Query, Req, Res, SetMetadata } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Describe } from '../describe.ts';
import { Me } from '../session.ts';
import type { ConsoleSettings } from '../settings.ts';
import type { ConsoleStores } from '../stores.ts';
import { BILLING, STORES } from '../tokens.ts';

/** Months with a statement: the current one and those before it. */
const monthsShown = 12;

/** The billing card of the account, and its usage by month. */
@Controller('api/billing')
export class BillingController {
  constructor(
    @Inject(BILLING) private readonly billing: BillingProvider,
    @Inject(STORES) private readonly stores: ConsoleStores,
    @Inject(SETTINGS) private readonly settings: ConsoleSettings,
  ) {}

  @Describe('The billing card, the plan, and the months that have a statement.')
  @Get()
  async show(@Me() { account }: SignedIn) {
    const made = new Date(account.createdAt).toISOString().slice(0, 7);
    return { provider: this.billing.name, card: account.card, plan: account.plan, months: months(made) };
  }

  @Describe('The way to attach a card: a page of the provider, or the text of a request to the operator.')
  @HttpCode(200)
  @Post('attach')
  async attach(@Me() { account }: SignedIn, @Req() request: Request) {
    const own =
      this.settings.CAIRN_PUBLIC_CONSOLE_URL ?? `${request.protocol}://${request.headers.host ?? 'localhost'}`;
    return await this.billing.attach(account, { returnUrl: `${own.replace(/\/+$/, '')}/billing` });
  }

  @Describe('Usage of the account in a month, such as 2026-11. format=csv returns CSV.')
  @Get('statements/:month')
  async statement(
    @Me() { account }: SignedIn,
    @Param('month') month: string,
    @Query('format') format: string | undefined,
    @Res() response: Response,
  ) {
    const statement = await createStatement({ usage: this.stores.usage, account, month });
    if (format !== 'csv') return void response.json(statement);
    response.setHeader('content-type', 'text/csv; charset=utf-8');
    response.setHeader('content-disposition', `attachment; filename="cairn-${month}.csv"`);
    response.end(statementCsv(statement));
  }

  @Describe('Receives signed events of the card provider.')
  @SetMetadata('webhook', true)
  @HttpCode(200)
  @Post('webhook')
  async webhook(@Req() request: Request) {
    const payload = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const signature = request.headers['stripe-signature'];
    await this.billing.webhook(payload, typeof signature === 'string' ? signature : undefined);
    return { received: true };
  }
}

/** Months from `2026-11` back to the first month. */
function months(first: string): string[] {
  const now = new Date();
  return Array.from({ length: monthsShown }, (_, back) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back)).toISOString().slice(0, 7),
  ).filter((month) => month >= first);
}

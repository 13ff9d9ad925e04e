import { Auth, AuthError, type SignedIn } from '@cairn/auth';
import {
  type BillingProvider,
  chargesOf,
  createStatement,
  monthSpan,
  type PlanChange,
  statementCsv,
} from '@cairn/billing';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Controller, Get, HttpCode, Inject, Param, Post, Query, Req, Res, SetMetadata } from '@nestjs/common';
import type { Request, Response } from 'express';
import * as z from 'zod';
import { Describe, TakesBody } from '../describe.ts';
import { publicUrl } from '../mail/mail-links.ts';
import { actorOf, Me } from '../session.ts';
import type { ConsoleSettings } from '../settings.ts';
import type { ConsoleStores } from '../stores.ts';
import { BILLING, STORES } from '../tokens.ts';

/** Months with a statement: the current one and those before it. */
const monthsShown = 12;
/** Entries of the audit log that are read for the plans of a month. */
const auditEntriesMax = 20_000;

const planBody = z.strictObject({ plan: z.string({ error: 'expected the name of a plan' }).max(32) });

/** The billing card of the account, and its usage by month. */
@Controller('api/billing')
export class BillingController {
  constructor(
    @Inject(BILLING) private readonly billing: BillingProvider,
    @Inject(STORES) private readonly stores: ConsoleStores,
    @Inject(SETTINGS) private readonly settings: ConsoleSettings,
    @Inject(Auth) private readonly auth: Auth,
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
    return await this.billing.attach(account, { returnUrl: this.#returnUrl(request) });
  }

  #returnUrl(request: Request): string {
    return `${publicUrl(this.settings, request)}/billing`;
  }

  @Describe(
    'Plans that the account may choose, with prices in the smallest unit of the currency, and a change to come.',
  )
  @Get('plans')
  async offers(@Me() { account }: SignedIn) {
    const plans = await this.stores.plans.plans();
    const { subscription } = (await this.stores.billing.customer(account.id)) ?? {};
    return {
      plans: plans
        .filter(({ name, isOffered }) => isOffered || name === account.plan)
        .map(({ stripePrice: _, ...plan }) => plan),
      ...(subscription?.next !== undefined && { next: { plan: subscription.next, at: subscription.paidUntil } }),
    };
  }

  @Describe('Changes the plan: immediately, on a page of the provider, when the paid time ends, or by the operator.')
  @HttpCode(200)
  @Post('plan')
  async changePlan(
    @Me() me: SignedIn,
    @TakesBody(planBody) { plan: name }: z.infer<typeof planBody>,
    @Req() request: Request,
  ) {
    const { account } = me;
    const plan = (await this.stores.plans.plans()).find((one) => one.name === name && one.isOffered);
    if (plan === undefined)
      throw new AuthError('VALUE_INVALID', 'plan: expected a plan that is offered.', { details: { field: 'plan' } });
    const step = await this.billing.changePlan(account, plan, { returnUrl: this.#returnUrl(request) });
    if (step.kind !== 'free') return step;
    await this.auth.as(actorOf(me, request)).setPlan(account.id, name);
    return { kind: 'changed' };
  }

  @Describe('The newest invoices of the payment provider.')
  @Get('invoices')
  async invoices(@Me() { account }: SignedIn) {
    return await this.billing.invoices(account);
  }

  @Describe('Usage of the account in a month, such as 2026-11, and charges for its plans. format=csv returns CSV.')
  @Get('statements/:month')
  async statement(
    @Me() { account }: SignedIn,
    @Param('month') month: string,
    @Query('format') format: string | undefined,
    @Res() response: Response,
  ) {
    const statement = await createStatement({ usage: this.stores.usage, account, month });
    if (format !== 'csv') return void response.json({ ...statement, charges: await this.#charges(account.id, month) });
    response.setHeader('content-type', 'text/csv; charset=utf-8');
    response.setHeader('content-disposition', `attachment; filename="cairn-${month}.csv"`);
    response.end(statementCsv(statement));
  }

  /** Charges of the plans that the account had in a month, according to the audit log. */
  async #charges(accountId: string, month: string) {
    const changes: PlanChange[] = [];
    let read = 0;
    for await (const { action, at, change } of this.auth.auditEntries(accountId)) {
      if (++read > auditEntriesMax) break;
      if (action !== 'account.plan' && action !== 'account.create') continue;
      if (typeof change?.plan === 'string') changes.push({ at, plan: change.plan });
    }
    const { from, to } = monthSpan(month);
    return chargesOf(changes, await this.stores.plans.plans(), { from, to, until: Math.min(to, Date.now()) });
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

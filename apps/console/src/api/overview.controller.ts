import { Auth, keyReference, type SignedIn } from '@cairn/auth';
import type { BillingProvider } from '@cairn/billing';
import type { Network } from '@cairn/chain-store';
import { fallbackPlan, type Plan } from '@cairn/metering';
import { Controller, Get, Inject } from '@nestjs/common';
import * as z from 'zod';
import type { Addresses } from '../addresses.ts';
import { usageOfToday } from '../alerts/usage-of-today.ts';
import { Describe, TakesQuery } from '../describe.ts';
import type { Entered } from '../entrance.ts';
import { permissionsWith } from '../permissions.ts';
import { Me, Open } from '../session.ts';
import type { ConsoleStores } from '../stores.ts';
import { ADDRESSES, BILLING, NETWORKS, STORES } from '../tokens.ts';
import { rangeOfDays, rangeOfSpan, type SpanName, spans, summarize } from '../usage-summary.ts';

const day = z.iso.date({ error: 'expected a day such as 2026-11-30' });
const usageQuery = z.object({
  operation: z.string().max(128).optional(),
  key: z.string().max(128).optional(),
  network: z.string().max(64).optional(),
  from: day.optional(),
  to: day.optional(),
  span: z.enum(Object.keys(spans) as [SpanName], { error: 'expected hour, day or month' }).default('day'),
});

/** The signed-in member, and the usage of the account. */
@Controller('api')
export class OverviewController {
  constructor(
    @Inject(Auth) private readonly auth: Auth,
    @Inject(STORES) private readonly stores: ConsoleStores,
    @Inject(ADDRESSES) private readonly addresses: Addresses,
    @Inject(NETWORKS) private readonly networks: readonly Network[],
    @Inject(BILLING) private readonly billing: BillingProvider,
  ) {}

  @Describe('The signed-in member, the account with its plan, and the addresses of the services.')
  @Get('me')
  async me(@Me() me: Entered) {
    const { member, account, viewEndsAt } = me;
    const { publicStorage, publicGateway, publicIpfsGateway } = this.addresses;
    const { id, name, plan, status, card, quotaBytes, servesPeers = false, createdAt } = account;
    return {
      member: {
        email: member.email,
        role: member.role,
        hasTotp: member.totp?.isConfirmed ?? false,
        hasVerifiedEmail: member.emailVerifiedAt !== undefined,
        permissions: permissionsWith(me),
      },
      account: { id, name, plan, status, card, quotaBytes, servesPeers, createdAt },
      plan: await this.#plan(plan),
      services: { storageUrl: publicStorage, gatewayUrl: publicGateway, ipfsGatewayUrl: publicIpfsGateway },
      networks: this.networks.map(({ name: network, hosts }) => ({ name: network, hosts })),
      billing: { provider: this.billing.name },
      ...(viewEndsAt !== undefined && { view: { endsAt: viewEndsAt } }),
    };
  }

  async #plan(name: string): Promise<Plan | undefined> {
    const plans = await this.stores.plans.plans();
    return plans.find((plan) => plan.name === name) ?? plans.find((plan) => plan.name === fallbackPlan);
  }

  @Describe('Usage of the account in the last hour, day or month, or from one day (UTC) to another.')
  @Get('usage')
  async usage(
    @Me() { account }: SignedIn,
    @TakesQuery(usageQuery) { span, from, to, ...filter }: z.infer<typeof usageQuery>,
  ) {
    const now = Date.now();
    const range = from === undefined ? rangeOfSpan(span, now) : rangeOfDays(from, to ?? from);
    const { usage, pins } = this.stores;
    const stored = await usage.stored(account.id, range);
    const rows = usage.rows(account.id, range, range.resolution);
    const summary = await summarize(range, rows, stored, now, filter);
    const names = new Map((await this.auth.keys(account.id)).map(({ id, name }) => [keyReference(id), name]));
    return {
      stepMs: range.stepMs,
      ...summary,
      keys: summary.keys.map((group) => ({ ...group, title: names.get(group.name) ?? group.name })),
      today: await usageOfToday(usage, account.id, now),
      held: { ...(await pins.usage(account.id)), bytes: stored.at(-1)?.bytes ?? (await pins.usage(account.id)).bytes },
    };
  }

  @Describe('Reports that the console answers.')
  @Open()
  @Get('health')
  health() {
    return { status: 'ok' };
  }
}

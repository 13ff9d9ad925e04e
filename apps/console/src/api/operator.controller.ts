import { statfs } from 'node:fs/promises';
import { type AuditEntry, Auth, keyReference, Members, type SignedIn } from '@cairn/auth';
import { CairnError } from '@cairn/errors';
import { fallbackPlan, parsePlan } from '@cairn/metering';
import type { PinRequestStore } from '@cairn/pinning';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Put, Req } from '@nestjs/common';
import type { Request } from 'express';
import * as z from 'zod';
import type { Addresses } from '../addresses.ts';
import { Describe, TakesBody, TakesQuery } from '../describe.ts';
import type { Mailer } from '../mail/mailer.ts';
import { NetworkStates } from '../network-states.ts';
import { ServiceUsages } from '../operator/service-usages.ts';
import { parseBody } from '../parse-body.ts';
import { actorOf, ForOperators, Me } from '../session.ts';
import type { ConsoleSettings } from '../settings.ts';
import type { ConsoleStores } from '../stores.ts';
import { ADDRESSES, MAILER, PIN_REQUESTS, STORES } from '../tokens.ts';
import { Upstream } from '../upstream.ts';
import { type SpanName, spans } from '../usage-summary.ts';

const changeBody = z.strictObject({
  status: z.enum(['active', 'suspended'], { error: 'expected active or suspended' }).optional(),
  plan: z.string({ error: 'expected the name of a plan' }).optional(),
  quotaBytes: z.number({ error: 'expected a number of bytes, or null' }).nullable().optional(),
  card: z.object({ brand: z.string(), last4: z.string() }).nullable().optional(),
  servesPeers: z.boolean({ error: 'expected true or false' }).optional(),
});
const auditQuery = z.object({
  account: z.string().max(128).optional(),
  action: z.string().max(64).optional(),
  before: z.coerce.number({ error: 'expected milliseconds since 1970' }).int().optional(),
});
const usageQuery = z.object({
  span: z.enum(Object.keys(spans) as [SpanName], { error: 'expected hour, day or month' }).default('day'),
});

const auditRowsMax = 200;
/** Entries that a request of the audit log reads. */
const auditEntriesMax = 20_000;
const accountsMax = 10_000;

/** Accounts, plans, service state and audit log, for operators. */
@ForOperators()
@Controller('api/operator')
export class OperatorController {
  constructor(
    @Inject(Auth) private readonly auth: Auth,
    @Inject(Members) private readonly members: Members,
    @Inject(STORES) private readonly stores: ConsoleStores,
    @Inject(Upstream) private readonly upstream: Upstream,
    @Inject(ADDRESSES) private readonly addresses: Addresses,
    @Inject(ServiceUsages) private readonly usages: ServiceUsages,
    @Inject(NetworkStates) private readonly networks: NetworkStates,
    @Inject(PIN_REQUESTS) private readonly requests: PinRequestStore,
    @Inject(MAILER) private readonly mailer: Mailer | undefined,
    @Inject(SETTINGS) private readonly settings: ConsoleSettings,
  ) {}

  @Describe('Usage of the service in the last hour, day or month: top accounts and methods, latency. At most 15 s old.')
  @Get('usage')
  async usage(@TakesQuery(usageQuery) { span }: z.infer<typeof usageQuery>) {
    return await this.usages.of(span);
  }

  @Describe('All accounts with their stored bytes and limits.')
  @Get('accounts')
  async accounts() {
    const found: object[] = [];
    for await (const account of this.auth.accounts()) {
      if (found.length >= accountsMax) break;
      const keys = await this.auth.keys(account.id);
      const held = await this.stores.pins.usage(account.id);
      const used = Math.max(0, ...(await this.stores.usage.lastUsed(account.id)).values());
      const alive = keys.filter(({ revokedAt }) => revokedAt === undefined).length;
      found.push({ ...account, keys: alive, held, lastUsedAt: used === 0 ? undefined : used });
    }
    return found;
  }

  @Describe('Changes status, plan, quota, card and permission to serve peers of an account in one transaction.')
  @HttpCode(200)
  @Post('accounts/:id')
  async change(
    @Me() me: SignedIn,
    @Param('id') id: string,
    @TakesBody(changeBody) { status, plan, quotaBytes, card, servesPeers }: z.infer<typeof changeBody>,
    @Req() request: Request,
  ) {
    if (plan !== undefined) await this.#requirePlan(plan);
    return await this.auth.as(actorOf(me, request)).changeAccount(id, { status, plan, quotaBytes, card, servesPeers });
  }

  async #requirePlan(name: string): Promise<void> {
    const plans = await this.stores.plans.plans();
    const known = plans.map((plan) => plan.name);
    parseBody(z.object({ plan: z.enum(known as [string], { error: `expected one of ${known.join(', ')}` }) }), {
      plan: name,
    });
  }

  @Describe('The plans.')
  @Get('plans')
  async plans() {
    return await this.stores.plans.plans();
  }

  @Describe('Creates or changes a plan.')
  @Put('plans/:name')
  async putPlan(@Param('name') name: string, @Body() body: unknown) {
    const plan = parsePlan({ ...(body as object | undefined), name });
    await this.stores.plans.put(plan);
    return plan;
  }

  @Describe('Removes a plan. Its accounts get the limits of the plan free, which cannot be removed.')
  @Delete('plans/:name')
  async removePlan(@Param('name') name: string) {
    if (name === fallbackPlan)
      throw new CairnError(
        'PLAN_REQUIRED',
        `The plan ${name} cannot be removed: accounts without a plan have its limits.`,
        { hint: 'Change its limits.', details: { field: 'name' } },
      );
    await this.stores.plans.remove(name);
    return {};
  }

  @Describe('All members who can sign in.')
  @Get('members')
  async listMembers() {
    const found: object[] = [];
    for await (const { passwordHash: _, totp, passkeys = [], ...member } of this.members.list())
      found.push({ ...member, hasTotp: totp?.isConfirmed ?? false, passkeys: passkeys.length });
    return found;
  }

  @Describe('State of the services, chains, queues, the disk and the store.')
  @Get('health')
  async health(@Me() { account }: SignedIn): Promise<object> {
    const { ipfsPeer: peer, ...services } = this.addresses;
    const [storage, gateway, ipfsGateway, ipfsPeer] = await Promise.all([
      this.upstream.readiness(services.storage),
      this.upstream.readiness(services.gateway),
      this.upstream.readiness(services.ipfsGateway),
      peer === undefined ? undefined : this.upstream.readiness(peer),
    ]);
    const sum = { accounts: 0, pins: 0, blocks: 0, bytes: 0 };
    for await (const { id } of this.auth.accounts()) {
      const { pins, blocks, bytes } = await this.stores.pins.usage(id);
      sum.accounts++;
      sum.pins += pins;
      sum.blocks += blocks;
      sum.bytes += bytes;
    }
    const collection = await this.stores.pins.collectionState();
    return {
      ...{ storage, gateway, ipfsGateway, ipfsPeer },
      ...{ held: sum, isCollecting: collection !== undefined },
      networks: await this.networks.list(account.id),
      queues: { fetches: await this.requests.openCount(), ...(this.mailer && { mails: this.mailer.queued }) },
      disk: await diskOf(this.settings.CAIRN_HOME),
    };
  }

  @Describe('Entries of the audit log, the newest first: who changed what, from which value, from which address.')
  @Get('audit')
  async audit(@TakesQuery(auditQuery) { account, action, before }: z.infer<typeof auditQuery>) {
    const found: AuditEntry[] = [];
    let read = 0;
    for await (const entry of this.auth.auditEntries(account === '' ? undefined : account)) {
      if (++read > auditEntriesMax) break;
      if (before !== undefined && entry.at >= before) continue;
      if (action && !entry.action.startsWith(action)) continue;
      if (found.push(entry) >= auditRowsMax) break;
    }
    const names = await this.#namesOf(new Set(found.map(({ accountId }) => accountId)));
    return found.map((entry) => ({ ...shown(entry), accountName: names.get(entry.accountId) }));
  }

  /** Returns the names of accounts that exist. */
  async #namesOf(ids: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
    const names = new Map<string, string>();
    for (const id of ids) {
      const account = id === '' ? undefined : await this.auth.account(id).catch(() => undefined);
      if (account !== undefined) names.set(id, account.name);
    }
    return names;
  }
}

/** Shows the reference of a key instead of its id, since the id alone gives access to JSON-RPC. */
function shown({ keyId, ...entry }: AuditEntry) {
  return { ...entry, ...(keyId !== undefined && { key: keyReference(keyId) }) };
}

/** Free and total bytes of the disk of the home. */
async function diskOf(home: string): Promise<{ readonly free: number; readonly total: number }> {
  const { bavail, bsize, blocks } = await statfs(home);
  return { free: bavail * bsize, total: blocks * bsize };
}

import { type Database, type Environment, Lease, prefixEnd } from '@cairn/embedded-store';
import { accountPrefix, decode, encode, inPages } from '../pin-records.ts';
import type { DueRange } from '../requests/due-range.ts';
import type { PinRequest } from '../requests/pin-request.ts';
import { accountOf, accountsIn, idAtEnd, newRequestId, openKey } from '../requests/pin-request-records.ts';
import {
  type Webhook,
  type WebhookEvent,
  type WebhookNotice,
  type WebhookStore,
  webhookLimits,
  webhookPlace,
} from './webhook-store.ts';
import { withSecrets } from './with-secrets.ts';

/** Events that are removed in one transaction. */
const pageLength = 256;

/**
 * Webhooks in the LMDB environment of the pins. Tables: `webhooks` by account; `webhook-events` by account, time of the next
 * attempt and id; `webhook-counts` by account.
 */
export class LmdbWebhookOutbox implements WebhookStore {
  readonly #environment: Environment;
  readonly #webhooks: Database;
  readonly #events: Database;
  readonly #counts: Database;
  readonly #now: () => number;

  constructor(environment: Environment, now: () => number) {
    this.#environment = environment;
    this.#webhooks = environment.database('webhooks');
    this.#events = environment.database('webhook-events');
    this.#counts = environment.database('webhook-counts');
    this.#now = now;
  }

  /** Adds an event for the webhook of the account, if it has one. Call it in the transaction of the change. */
  record({ key: _, origins: __, holds: ___, dueAt: ____, ...request }: PinRequest): void {
    this.#add(request.account, { request });
  }

  notify(account: string, notice: WebhookNotice): Promise<boolean> {
    return this.#environment.transaction(() => this.#add(account, { notice }));
  }

  #add(account: string, subject: Pick<WebhookEvent, 'request' | 'notice'>): boolean {
    if (this.#webhooks.get(accountPrefix(account)) === undefined) return false;
    if (this.#countOf(account) >= webhookLimits.waitingMax) return false;
    const now = this.#now();
    const id = newRequestId(now * 1000);
    this.#put({ id, account, createdAt: now, ...subject, attempts: 0, dueAt: now });
    this.#count(account, 1);
    return true;
  }

  async get(account: string): Promise<Webhook | undefined> {
    const found = this.#webhooks.get(accountPrefix(account));
    return found && decode<Webhook>(found);
  }

  async set(account: string, webhook: Webhook): Promise<void> {
    await this.#environment.transaction(() => {
      this.#webhooks.put(accountPrefix(account), encode(webhook));
    });
  }

  async remove(account: string): Promise<boolean> {
    const prefix = accountPrefix(account);
    const end = prefixEnd(prefix);
    const isRemoved = await this.#environment.transaction(() => {
      if (this.#webhooks.get(prefix) === undefined) return false;
      this.#webhooks.remove(prefix);
      return true;
    });
    for (let removed = pageLength; removed === pageLength; )
      removed = await this.#environment.transaction(() => {
        const keys = [...this.#events.keys({ start: prefix, ...(end && { end }), limit: pageLength })];
        for (const key of keys) this.#events.remove(key);
        this.#count(account, -keys.length);
        return keys.length;
      });
    return isRemoved;
  }

  async changeSecrets(change: (secret: string, place: string) => string): Promise<number> {
    let changed = 0;
    let start: Uint8Array | undefined;
    for (;;) {
      const last = await this.#environment.transaction(() => {
        const page = [...this.#webhooks.range({ ...(start && { start }), limit: pageLength })];
        for (const { key, value } of page) {
          const webhook = decode<Webhook>(value);
          const resealed = withSecrets(webhook, (secret) => change(secret, webhookPlace(accountOf(key))));
          if (resealed.changed > 0) this.#webhooks.put(key, encode(resealed.webhook));
          changed += resealed.changed;
        }
        return page.length < pageLength ? undefined : page.at(-1)?.key;
      });
      if (last === undefined) return changed;
      start = Buffer.concat([last, Uint8Array.of(0)]);
    }
  }

  async waiting(account: string): Promise<number> {
    return this.#countOf(account);
  }

  async waitingCount(): Promise<number> {
    return this.#events.count();
  }

  async *events(account: string): AsyncGenerator<WebhookEvent> {
    for await (const { value } of inPages(this.#events, accountPrefix(account))) yield decode<WebhookEvent>(value);
  }

  async firstDue({ after, now, except, exceptAccounts }: DueRange): Promise<WebhookEvent | undefined> {
    for await (const account of accountsIn(this.#events, after)) {
      if (exceptAccounts.has(account)) continue;
      const start = accountPrefix(account);
      const end = openKey(account, now + 1, new Uint8Array(0));
      for (const { key, value } of this.#events.range({ start, end, limit: except.size + 1 }))
        if (!except.has(Buffer.from(idAtEnd(key)).toString('hex'))) return decode<WebhookEvent>(value);
    }
    return undefined;
  }

  async settle(event: WebhookEvent, outcome: { readonly dueAt: number } | undefined): Promise<void> {
    await this.#environment.transaction(() => {
      const key = keyOf(event);
      // The webhook was removed meanwhile.
      if (this.#events.get(key) === undefined) return;
      this.#events.remove(key);
      if (outcome === undefined) this.#count(event.account, -1);
      else this.#put({ ...event, attempts: event.attempts + 1, dueAt: outcome.dueAt });
    });
  }

  tryLockWebhooks() {
    return Lease.tryAcquire({ environment: this.#environment, name: 'pin-webhooks' });
  }

  #put(event: WebhookEvent): void {
    this.#events.put(keyOf(event), encode(event));
  }

  #countOf(account: string): number {
    const found = this.#counts.get(accountPrefix(account));
    return found ? decode<{ readonly waiting: number }>(found).waiting : 0;
  }

  #count(account: string, change: number): void {
    const waiting = this.#countOf(account) + change;
    if (waiting > 0) this.#counts.put(accountPrefix(account), encode({ waiting }));
    else this.#counts.remove(accountPrefix(account));
  }
}

function keyOf({ account, dueAt, id }: WebhookEvent): Buffer {
  return openKey(account, dueAt, Buffer.from(id, 'hex'));
}

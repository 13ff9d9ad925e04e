import type { CollectionLock } from '../pin-store.ts';
import type { DueRange } from '../requests/due-range.ts';
import type { PinRequest } from '../requests/pin-request.ts';

/** Webhook of an account, which gets the changes of its pin requests and notices of the service. */
export interface Webhook {
  readonly url: string;
  /** Secret as its owner of the store keeps it, such as sealed. */
  readonly secret: string;
  /** Secret before the last change. It signs beside the new one, so that receivers can change theirs. */
  readonly previous?: { readonly secret: string; readonly until: number } | undefined;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** Message of the service to an account, such as a usage alert. */
export interface WebhookNotice {
  /** Type of the message in the payload, such as `usage.threshold`. */
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Change of a pin request, or a notice, that is not delivered yet. */
export interface WebhookEvent {
  /** Unique and equal in each attempt, so that a receiver can recognise a repeated delivery. */
  readonly id: string;
  readonly account: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Request after the change; absent for a notice. */
  readonly request?: Omit<PinRequest, 'key' | 'origins' | 'holds' | 'dueAt'>;
  readonly notice?: WebhookNotice;
  /** Number of failed attempts. */
  readonly attempts: number;
  /** Earliest time of the next attempt, in milliseconds since 1970. */
  readonly dueAt: number;
}

/**
 * The port to webhooks and their outbox. A change of a pin request and its event are one atomic change, so that no event is
 * lost or delivered without its change.
 */
export interface WebhookStore {
  get(account: string): Promise<Webhook | undefined>;
  /** Creates or replaces the webhook of an account. */
  set(account: string, webhook: Webhook): Promise<void>;
  /** Removes the webhook of an account and its events. Resolves to false if there was none. */
  remove(account: string): Promise<boolean>;
  /** Adds a notice for the webhook of an account. Resolves to false without a webhook, or while too many events wait. */
  notify(account: string, notice: WebhookNotice): Promise<boolean>;
  /**
   * Replaces the secrets of all webhooks, in transactions of bounded size. `place` is `webhookPlace`. Nothing is written
   * for a secret that `change` returns unchanged. Returns the number of changed ones.
   */
  changeSecrets(change: (secret: string, place: string) => string): Promise<number>;
  /** Number of events of an account that wait. */
  waiting(account: string): Promise<number>;
  /** Number of events of all accounts that wait. */
  waitingCount(): Promise<number>;
  /** Streams the events of an account that wait, in any order. */
  events(account: string): AsyncIterable<WebhookEvent>;
  /** Returns the first due event of the first account after another one, in byte order, that has one. */
  firstDue(range: DueRange): Promise<WebhookEvent | undefined>;
  /** Forgets an event, or moves it to a later time after a failed attempt. */
  settle(event: WebhookEvent, outcome: { readonly dueAt: number } | undefined): Promise<void>;
  /** Takes the right to deliver. Resolves to undefined while another process has it. */
  tryLockWebhooks(): Promise<CollectionLock | undefined>;
}

export const webhookLimits = {
  /** Events of an account that wait. Further changes have no event. */
  waitingMax: 10_000,
  /** Longest URL of a webhook. */
  urlCharactersMax: 2048,
  /** Milliseconds for which the secret before the last change signs too. */
  overlapMs: 24 * 3_600_000,
} as const;

/** Returns the name of a webhook's record, which the seal of its secrets depends on. */
export function webhookPlace(account: string): string {
  return `webhook ${account}`;
}

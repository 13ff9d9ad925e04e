import type { SecretBox } from '@cairn/auth';
import { SECRETS } from '@cairn/auth/nest';
import { AccountWebhooks, type PinRequestStore, type Webhook, type WebhookDescription } from '@cairn/pinning';
import { isPublicAddress } from '@cairn/public-http';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import type { StorageSettings } from '../settings.ts';
import { PIN_REQUEST_STORE } from './pin-request-store.token.ts';
import { formatTime } from './rfc3339.ts';

/** Webhook of an account in the API. The secret is in the response that creates it only. */
export interface WebhookObject {
  readonly url: string;
  readonly created: string;
  /** Events that wait for their delivery. */
  readonly waiting: number;
  readonly secret?: string;
}

/** Webhooks of accounts, as the API shows them. */
@Injectable()
export class Webhooks {
  readonly #webhooks: AccountWebhooks;

  constructor(
    @Inject(PIN_REQUEST_STORE) requests: PinRequestStore,
    @Inject(SECRETS) seals: SecretBox,
    @Inject(SETTINGS) settings: StorageSettings,
  ) {
    const allowsPrivate = settings.STORAGE_WEBHOOK_PRIVATE === 'yes';
    this.#webhooks = new AccountWebhooks({ store: requests.webhooks, seals, allowsPrivate, isPublicAddress });
  }

  /** @throws WEBHOOK_NOT_FOUND */
  async get(account: string): Promise<WebhookObject> {
    return objectOf(await this.#webhooks.get(account));
  }

  /** Creates or replaces the webhook of an account, with a new secret. @throws WEBHOOK_URL_INVALID */
  async set(account: string, body: unknown): Promise<WebhookObject> {
    const url = typeof body === 'object' && body !== null && 'url' in body ? body.url : undefined;
    const { secret, ...created } = await this.#webhooks.set(account, url);
    return { ...objectOf(created), secret };
  }

  /** @throws WEBHOOK_NOT_FOUND */
  async remove(account: string): Promise<void> {
    await this.#webhooks.remove(account);
  }

  /** Returns the secrets that sign now, the newest first. @throws SECRETS_KEY_UNUSABLE */
  secretsOf(account: string, webhook: Webhook): string[] {
    return this.#webhooks.secretsOf(account, webhook);
  }
}

function objectOf({ url, createdAt, waiting }: WebhookDescription): WebhookObject {
  return { url, created: formatTime(createdAt * 1000), waiting };
}

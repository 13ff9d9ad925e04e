import type { SecretBox } from '@cairn/auth';
import { SECRETS } from '@cairn/auth/nest';
import { newWebhookSecret, type PinRequestStore, type Webhook } from '@cairn/pinning';
import { isPublicAddress } from '@cairn/public-http';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-v0/api-error.ts';
import type { StorageSettings } from '../settings.ts';
import { PIN_REQUEST_STORE } from './pin-request-store.token.ts';
import { formatTime } from './rfc3339.ts';

/** Longest URL of a webhook. */
export const webhookUrlCharactersMax = 2048;
/** Milliseconds for which the secret before the last change signs too. */
const overlapMs = 24 * 3_600_000;

/** Webhook of an account in the API. The secret is in the response that creates it only. */
export interface WebhookObject {
  readonly url: string;
  readonly created: string;
  /** Events that wait for their delivery. */
  readonly waiting: number;
  readonly secret?: string;
}

/** Webhooks of accounts. Their secrets are sealed, since they cannot be stored as hashes. */
@Injectable()
export class Webhooks {
  constructor(
    @Inject(PIN_REQUEST_STORE) private readonly requests: PinRequestStore,
    @Inject(SECRETS) private readonly secrets: SecretBox,
    @Inject(SETTINGS) private readonly settings: StorageSettings,
  ) {}

  /** @throws ApiError 404 */
  async get(account: string): Promise<WebhookObject> {
    const webhook = await this.requests.webhooks.get(account);
    if (webhook === undefined) throw noWebhook();
    return await this.#objectOf(account, webhook);
  }

  /** Creates or replaces the webhook of an account, with a new secret. @throws ApiError 400 */
  async set(account: string, body: unknown): Promise<WebhookObject> {
    const url = this.#parseUrl(body);
    const secret = newWebhookSecret();
    const before = await this.requests.webhooks.get(account);
    const now = Date.now();
    const webhook: Webhook = {
      url,
      secret: this.secrets.seal(secret, placeOf(account)),
      createdAt: now,
      ...(before && { previous: { secret: before.secret, until: now + overlapMs } }),
    };
    await this.requests.webhooks.set(account, webhook);
    return { ...(await this.#objectOf(account, webhook)), secret };
  }

  /** @throws ApiError 404 */
  async remove(account: string): Promise<void> {
    if (!(await this.requests.webhooks.remove(account))) throw noWebhook();
  }

  /** Returns the secrets that sign now, the newest first. @throws SECRETS_KEY_UNUSABLE */
  secretsOf(account: string, { secret, previous }: Webhook): string[] {
    const sealed = previous !== undefined && previous.until > Date.now() ? [secret, previous.secret] : [secret];
    return sealed.map((text) => this.secrets.open(text, placeOf(account)));
  }

  async #objectOf(account: string, { url, createdAt }: Webhook): Promise<WebhookObject> {
    return { url, created: formatTime(createdAt * 1000), waiting: await this.requests.webhooks.waiting(account) };
  }

  /** @throws ApiError 400 */
  #parseUrl(body: unknown): string {
    const url = typeof body === 'object' && body !== null && 'url' in body ? body.url : undefined;
    if (typeof url !== 'string' || url.length > webhookUrlCharactersMax || !URL.canParse(url))
      throw new ApiError(400, 'url is not a URL; send an object such as {"url":"https://service.example/hook"}');
    const { protocol, hostname, username, password } = new URL(url);
    if (username + password !== '')
      throw new ApiError(400, 'url has a user name or a password; put keys into its path');
    if (this.settings.STORAGE_WEBHOOK_PRIVATE === 'yes' && protocol === 'http:') return url;
    if (protocol !== 'https:') throw new ApiError(400, `url has the scheme ${protocol}; expected https:`);
    // Names are resolved and tested at each delivery.
    const bare = hostname.replace(/^\[|\]$/g, '');
    const isLiteral = /^[\d.]+$/.test(bare) || bare.includes(':');
    if (this.settings.STORAGE_WEBHOOK_PRIVATE === 'no' && isLiteral && !isPublicAddress(bare))
      throw new ApiError(400, `url names the address ${bare}, which is not public; use a host of the public internet`);
    return url;
  }
}

function placeOf(account: string): string {
  return `webhook ${account}`;
}

function noWebhook(): ApiError {
  return new ApiError(404, 'the account has no webhook; create one with PUT /psa/webhook');
}

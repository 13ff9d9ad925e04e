import { WebhookNotFoundError, WebhookUrlError } from '../errors.ts';
import { newWebhookSecret } from './sign-webhook.ts';
import { type Webhook, type WebhookStore, webhookLimits, webhookPlace } from './webhook-store.ts';

/** Encrypts secrets at rest, such as `SecretBox` of `@cairn/auth`. `place` names the record. */
export interface WebhookSeals {
  seal(text: string, place: string): string;
  open(sealed: string, place: string): string;
}

export interface AccountWebhooksOptions {
  readonly store: WebhookStore;
  readonly seals: WebhookSeals;
  /** Permits private addresses and URLs without TLS. */
  readonly allowsPrivate: boolean;
  /** Reports whether an IP address is one of the public internet. */
  readonly isPublicAddress: (address: string) => boolean;
  readonly now?: () => number;
}

/** Webhook of an account without its secret. */
export interface WebhookDescription {
  readonly url: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Events that wait for their delivery. */
  readonly waiting: number;
}

/** Webhook that was just created. The secret cannot be read later. */
export interface NewWebhook extends WebhookDescription {
  readonly secret: string;
}

/** The rules for webhooks of accounts. Secrets are sealed, since they cannot be stored as hashes. */
export class AccountWebhooks {
  readonly #options: AccountWebhooksOptions;
  readonly #now: () => number;

  constructor(options: AccountWebhooksOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** @throws WEBHOOK_NOT_FOUND */
  async get(account: string): Promise<WebhookDescription> {
    return await this.#describe(account, await this.#require(account));
  }

  /**
   * Creates or replaces the webhook of an account, with a new secret. The previous secret signs beside it for a day.
   * @throws WEBHOOK_URL_INVALID
   */
  async set(account: string, url: unknown): Promise<NewWebhook> {
    return await this.#write(account, this.#parseUrl(url), await this.#options.store.get(account));
  }

  /** Gives the webhook of an account a new secret; {@link set} with its URL. @throws WEBHOOK_NOT_FOUND */
  async rotate(account: string): Promise<NewWebhook> {
    const before = await this.#require(account);
    return await this.#write(account, before.url, before);
  }

  /** Removes the webhook of an account and its events. @throws WEBHOOK_NOT_FOUND */
  async remove(account: string): Promise<void> {
    if (!(await this.#options.store.remove(account))) throw new WebhookNotFoundError();
  }

  /** Returns the secrets that sign now, the newest first. @throws the error of `seals` for a missing key */
  secretsOf(account: string, { secret, previous }: Webhook): string[] {
    const sealed = previous !== undefined && previous.until > this.#now() ? [secret, previous.secret] : [secret];
    return sealed.map((text) => this.#options.seals.open(text, webhookPlace(account)));
  }

  async #require(account: string): Promise<Webhook> {
    const webhook = await this.#options.store.get(account);
    if (webhook === undefined) throw new WebhookNotFoundError();
    return webhook;
  }

  async #write(account: string, url: string, before: Webhook | undefined): Promise<NewWebhook> {
    const secret = newWebhookSecret();
    const now = this.#now();
    const webhook: Webhook = {
      url,
      secret: this.#options.seals.seal(secret, webhookPlace(account)),
      createdAt: now,
      ...(before && { previous: { secret: before.secret, until: now + webhookLimits.overlapMs } }),
    };
    await this.#options.store.set(account, webhook);
    return { ...(await this.#describe(account, webhook)), secret };
  }

  async #describe(account: string, { url, createdAt }: Webhook): Promise<WebhookDescription> {
    return { url, createdAt, waiting: await this.#options.store.waiting(account) };
  }

  /** @throws WEBHOOK_URL_INVALID */
  #parseUrl(url: unknown): string {
    const { allowsPrivate, isPublicAddress } = this.#options;
    if (typeof url !== 'string' || url.length > webhookLimits.urlCharactersMax || !URL.canParse(url))
      throw new WebhookUrlError(
        `The webhook has no URL of at most ${webhookLimits.urlCharactersMax} characters.`,
        'Pass a URL such as https://service.example/hook.',
      );
    const { protocol, hostname, username, password } = new URL(url);
    if (username + password !== '')
      throw new WebhookUrlError('The URL of the webhook has a user name or a password.', 'Put keys into its path.');
    if (allowsPrivate && protocol === 'http:') return url;
    if (protocol !== 'https:')
      throw new WebhookUrlError(`The URL of the webhook has the scheme ${protocol}.`, 'Use https:.');
    // Names are resolved and tested at each delivery.
    const bare = hostname.replace(/^\[|\]$/g, '');
    const isLiteral = /^[\d.]+$/.test(bare) || bare.includes(':');
    if (!allowsPrivate && isLiteral && !isPublicAddress(bare))
      throw new WebhookUrlError(
        `The URL of the webhook names the address ${bare}, which is not public.`,
        'Use a host of the public internet, or set STORAGE_WEBHOOK_PRIVATE=yes.',
      );
    return url;
  }
}

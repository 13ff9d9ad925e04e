import type { AccountStore } from './account-store.ts';
import { credentialsInvalid } from './errors.ts';
import type { SecretBox } from './secrets/secret-box.ts';
import { isCurrent, isSignedText, signText } from './signed-text.ts';

/** Validity of a service token in milliseconds. A service creates one for each request or connection. */
const serviceTokenMs = 60_000;

/** Prefix of the signed text. It differs from those of delegations, so that neither is valid as the other. */
const prefix = '~t.';

/** Name of a service: no dots, which separate the parts of a token. */
const audiencePattern = /^[a-z][a-z0-9-]{0,63}$/;

/** Longest token that is examined. */
const tokenLengthMax = 256;

/** Signs and verifies service tokens: short-lived texts by which a service of one home proves itself to another. */
export class ServiceTokens {
  readonly #store: AccountStore;
  readonly #secrets: SecretBox | undefined;
  readonly #now: () => number;

  constructor(store: AccountStore, secrets: SecretBox | undefined, now: () => number) {
    this.#store = store;
    this.#secrets = secrets;
    this.#now = now;
  }

  /** @throws SECRETS_KEY_UNUSABLE */
  async create(audience: string): Promise<string> {
    if (!audiencePattern.test(audience)) throw new TypeError(`${JSON.stringify(audience)} is not a service name.`);
    return signText(`${prefix}${audience}.${this.#now() + serviceTokenMs}`, await this.#secret());
  }

  /** @throws CREDENTIALS_INVALID, SECRETS_KEY_UNUSABLE */
  async verify(token: string, audience: string): Promise<void> {
    const expiresAt = token.length > tokenLengthMax ? '' : (token.split('.')[2] ?? '');
    const secrets = this.#secrets?.deriveEach('service token') ?? [await this.#store.serviceSecret()];
    const isGenuine = secrets.some((secret) => isSignedText(token, `${prefix}${audience}.${expiresAt}`, secret));
    if (!isGenuine || !isCurrent(Number(expiresAt), { now: this.#now(), validMs: serviceTokenMs }))
      throw credentialsInvalid();
  }

  async #secret(): Promise<Uint8Array> {
    return this.#secrets?.derive('service token') ?? (await this.#store.serviceSecret());
  }
}

import type { Account, Principal } from './account.ts';
import type { AccountStore } from './account-store.ts';
import { credentialsInvalid } from './errors.ts';
import type { KeyPolicy } from './key-policy.ts';
import type { SecretBox } from './secrets/secret-box.ts';
import { isCurrent, isSignedText, signText } from './signed-text.ts';

/** Validity of a delegation in milliseconds. A request is sent immediately after it is signed. */
export const delegationMs = 60_000;

/** Permissions of a delegation that a service pays for: the reads of its own pages. */
const pageReads: KeyPolicy = { storage: ['read'], methods: ['eth_chainId', 'eth_getBlockByNumber'] };

/**
 * Payer of a request that a service sends for an account: the account, or the service for reads of its own pages. The
 * payer is part of the signed text.
 */
export type DelegationPayer = 'account' | 'service';

/** Prefix of a delegation for each payer. */
const prefixes: Readonly<Record<DelegationPayer, string>> = { account: '~c.', service: '~s.' };

/** Reports whether a text sent as a key id is a delegation. Key ids cannot contain `~`. */
export function isDelegation(keyId: string): boolean {
  return payerOf(keyId) !== undefined;
}

function payerOf(keyId: string): DelegationPayer | undefined {
  if (keyId.startsWith(prefixes.account)) return 'account';
  return keyId.startsWith(prefixes.service) ? 'service' : undefined;
}

/** Signs and verifies delegations: short-lived texts that a service sends as a key id to act for an account. */
export class Delegations {
  readonly #store: AccountStore;
  readonly #secrets: SecretBox | undefined;
  readonly #now: () => number;

  constructor(store: AccountStore, secrets: SecretBox | undefined, now: () => number) {
    this.#store = store;
    this.#secrets = secrets;
    this.#now = now;
  }

  /** @throws SECRETS_KEY_UNUSABLE */
  async create(accountId: string, payer: DelegationPayer): Promise<string> {
    return signDelegation({ accountId, payer }, await this.#secret(), this.#now());
  }

  /** Returns the account and the payer of a delegation. @throws CREDENTIALS_INVALID, SECRETS_KEY_UNUSABLE */
  async verify(delegation: string): Promise<{ readonly accountId: string; readonly payer: DelegationPayer }> {
    const secrets = this.#secrets?.deriveEach('delegation') ?? [await this.#store.serviceSecret()];
    for (const secret of secrets) {
      const found = verifyDelegation(delegation, secret, this.#now());
      if (found !== undefined) return found;
    }
    throw credentialsInvalid();
  }

  async #secret(): Promise<Uint8Array> {
    return this.#secrets?.derive('delegation') ?? (await this.#store.serviceSecret());
  }
}

/** Returns the principal of a request with a delegation. */
export function delegatedPrincipal(account: Account, payer: DelegationPayer): Principal {
  const key = { id: `console ${account.id}`, name: 'console', policy: {}, reference: 'console' };
  if (payer === 'account') return { account, key };
  return { account, key: { ...key, policy: pageReads }, payer: { id: key.reference } };
}

function signDelegation(
  { accountId, payer }: { readonly accountId: string; readonly payer: DelegationPayer },
  secret: Uint8Array,
  now: number,
): string {
  return signText(`${prefixes[payer]}${accountId}.${now + delegationMs}`, secret);
}

/** Returns account and payer; `undefined` for a delegation that has expired or was signed with another secret. */
function verifyDelegation(
  delegation: string,
  secret: Uint8Array,
  now: number,
): { readonly accountId: string; readonly payer: DelegationPayer } | undefined {
  const payer = payerOf(delegation);
  if (payer === undefined) return undefined;
  const [, accountId = '', expiresAt = ''] = delegation.split('.');
  const isGenuine = isSignedText(delegation, `${prefixes[payer]}${accountId}.${expiresAt}`, secret);
  return isGenuine && isCurrent(Number(expiresAt), { now, validMs: delegationMs }) ? { accountId, payer } : undefined;
}

import { randomUUID } from 'node:crypto';
import type { Account, ApiKey, Principal } from './account.ts';
import { type AccountChanges, fieldChanges, planPattern } from './account-changes.ts';
import type { AccountStore } from './account-store.ts';
import type { Actor, AuditEntry } from './audit.ts';
import type { AuthOptions, IssuedKey, KeyOptions } from './auth-types.ts';
import { alive, check, checkSecret, futureTime } from './checks.ts';
import { type DelegationPayer, isDelegation, signDelegation, verifyDelegation } from './delegation.ts';
import { AuthError, credentialsInvalid } from './errors.ts';
import { type KeyPolicy, parseKeyPolicy } from './key-policy.ts';
import { accountNotFound } from './lmdb-account-store.ts';
import { newMember } from './members/member.ts';
import { RecentPrincipals } from './recent-principals.ts';
import type { SecretBox } from './secrets/secret-box.ts';
import { generateKeyId, generateSecret, keyReference, secretMatches, storeSecret } from './tokens.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** Permissions of reads that pages of a service make by themselves. */
const pageReads: KeyPolicy = { storage: ['read'], methods: ['eth_chainId', 'eth_getBlockByNumber'] };

/** Accounts, their cards and keys. State is read from the store for each request: a change counts at once everywhere. */
export class Auth {
  readonly #store: AccountStore;
  readonly #now: () => number;
  readonly #actor: Actor;
  readonly #secrets: SecretBox | undefined;
  readonly #recent = new RecentPrincipals();

  constructor({ store, secrets, now = Date.now, actor = { who: 'system', from: 'unknown' } }: AuthOptions) {
    this.#store = store;
    this.#secrets = secrets;
    this.#now = now;
    this.#actor = actor;
  }

  /** The same accounts, for changes by somebody else. It shares the store: close one of them only. */
  as(actor: Actor): Auth {
    return new Auth({ store: this.#store, secrets: this.#secrets, now: this.#now, actor });
  }

  #entry(action: string, accountId: string, more: Pick<AuditEntry, 'keyId' | 'change'> = {}): AuditEntry {
    return { at: this.#now(), actor: this.#actor, action, accountId, ...more };
  }

  /** What was changed, the newest first; of one account, where it is named. @throws ACCOUNT_NOT_FOUND */
  async *auditEntries(idOrName?: string): AsyncGenerator<AuditEntry> {
    const id = idOrName === undefined ? undefined : (await this.account(idOrName)).id;
    yield* this.#store.auditEntries(id);
  }

  /**
   * Who a key and its secret belong to.
   * @throws CREDENTIALS_INVALID, the same after the same work for an unknown key and a wrong secret; ACCOUNT_SUSPENDED
   */
  async authenticate({ keyId, secret }: { readonly keyId: string; readonly secret: string }): Promise<Principal> {
    if (isDelegation(keyId)) return await this.#delegate(keyId);
    const key = await this.#store.key(keyId);
    const matches = secretMatches(key?.secrets ?? [], secret, this.#now());
    if (key === undefined || !matches) throw credentialsInvalid();
    return await this.#principal(key);
  }

  /** Who a key belongs to, without its secret: what JSON-RPC asks for. @throws CREDENTIALS_INVALID, ACCOUNT_SUSPENDED */
  async identify(keyId: string): Promise<Principal> {
    if (isDelegation(keyId)) return await this.#delegate(keyId);
    const key = await this.#store.key(keyId);
    if (key === undefined) throw credentialsInvalid();
    const principal = await this.#principal(key);
    this.#recent.add(keyId, principal);
    return principal;
  }

  /**
   * Who {@link identify} found a moment ago; `undefined` when it has to look again. For paths on which reading account and
   * key costs as much as all else: there a change counts after a tenth of a second.
   */
  recent(keyId: string): Principal | undefined {
    return this.#recent.get(keyId);
  }

  async #principal(key: ApiKey): Promise<Principal> {
    if (key.revokedAt !== undefined || (key.expiresAt ?? Number.POSITIVE_INFINITY) <= this.#now())
      throw credentialsInvalid();
    const account = await this.#activeAccount(key.accountId);
    const { id, name, policy = {} } = key;
    return { account, key: { id, name, policy, reference: keyReference(id) } };
  }

  /** @throws CREDENTIALS_INVALID, ACCOUNT_SUSPENDED */
  async #activeAccount(id: string): Promise<Account> {
    const account = await this.#store.account(id);
    if (account === undefined) throw credentialsInvalid();
    if (account.status !== 'suspended') return account;
    throw new AuthError('ACCOUNT_SUSPENDED', 'The account is suspended.', {
      hint: 'Ask the operator of this service.',
    });
  }

  /**
   * What a service of one's own, such as a console, sends in the place of a key id, with any secret: for a minute it stands
   * for the account, whatever keys that has. Who may ask for it is for that service to know.
   *
   * @param payer `service` for what the service asks for its own pages: such a delegation opens a few reads only, counts against
   * no limit of the account, and appears in no usage of it. Default: the account
   */
  async delegation(
    accountId: string,
    { payer = 'account' }: { readonly payer?: DelegationPayer } = {},
  ): Promise<string> {
    return signDelegation({ accountId, payer }, await this.#delegationSecret(), this.#now());
  }

  /** @throws SECRETS_KEY_UNUSABLE */
  async #delegationSecret(): Promise<Uint8Array> {
    return this.#secrets?.derive('delegation') ?? (await this.#store.serviceSecret());
  }

  async #delegate(delegation: string): Promise<Principal> {
    const found = verifyDelegation(delegation, await this.#delegationSecret(), this.#now());
    if (found === undefined) throw credentialsInvalid();
    const { accountId, payer } = found;
    const account = await this.#activeAccount(accountId);
    const key = { id: `console ${accountId}`, name: 'console', policy: {}, reference: 'console' };
    if (payer === 'account') return { account, key };
    return { account, key: { ...key, policy: pageReads }, payer: { id: key.reference } };
  }

  /** @throws BILLING_CARD_REQUIRED, with how to attach one */
  requireCard({ account }: Principal): void {
    if (account.card !== undefined) return;
    throw new AuthError(
      'BILLING_CARD_REQUIRED',
      'The account has no billing card; storage needs one, on the free plan too.',
      {
        hint: 'Attach a card under Billing in the console, or ask the operator of this service.',
      },
    );
  }

  /** @throws ACCOUNT_EXISTS, MEMBER_EXISTS, VALUE_INVALID */
  async createAccount({
    name,
    email,
    plan = 'free',
    owner,
  }: {
    readonly name: string;
    readonly email?: string | undefined;
    readonly plan?: string;
    /** Its first member, made with it. */
    readonly owner?: { readonly email: string; readonly passwordHash: string };
  }): Promise<Account> {
    check(
      'name',
      name,
      /^[\p{L}\p{N}][\p{L}\p{N} ._@-]{0,63}$/u,
      '1 to 64 letters, digits, spaces or . _ @ -, the first a letter or digit',
    );
    check('plan', plan, planPattern, 'a name such as free');
    if (email !== undefined) check('email', email, /^[^\s@]{1,64}@[^\s@]{1,190}$/, 'an e-mail address');
    const account: Account = {
      id: `acc_${randomUUID().replaceAll('-', '')}`,
      name,
      email,
      plan,
      status: 'active',
      card: undefined,
      createdAt: this.#now(),
    };
    const { id: accountId, createdAt } = account;
    const member = owner && newMember({ ...owner, accountId, role: 'member', createdAt });
    await this.#store.insertAccount(
      account,
      this.#entry('account.create', accountId, { change: { name, plan } }),
      member,
    );
    return account;
  }

  /** By id or by name. @throws ACCOUNT_NOT_FOUND */
  async account(idOrName: string): Promise<Account> {
    const found = (await this.#store.account(idOrName)) ?? (await this.#store.accountByName(idOrName));
    if (found === undefined) throw accountNotFound(idOrName);
    return found;
  }

  accounts(): AsyncIterable<Account> {
    return this.#store.accounts();
  }

  /** @throws ACCOUNT_NOT_FOUND, VALUE_INVALID */
  attachCard(idOrName: string, card: { readonly brand: string; readonly last4: string }): Promise<Account> {
    return this.changeAccount(idOrName, { card });
  }

  /** @throws ACCOUNT_NOT_FOUND */
  removeCard(idOrName: string): Promise<Account> {
    return this.changeAccount(idOrName, { card: null });
  }

  /** Refuses or takes all requests of an account from now on. @throws ACCOUNT_NOT_FOUND */
  setStatus(idOrName: string, status: Account['status']): Promise<Account> {
    return this.changeAccount(idOrName, { status });
  }

  /** Sets the plan of an account. The caller makes sure that the plan exists. @throws ACCOUNT_NOT_FOUND, VALUE_INVALID */
  setPlan(idOrName: string, plan: string): Promise<Account> {
    return this.changeAccount(idOrName, { plan });
  }

  /**
   * Bytes that an account may hold in storage, or, with `undefined`, what the service allows all accounts.
   * @throws ACCOUNT_NOT_FOUND, VALUE_INVALID
   */
  setQuota(idOrName: string, quotaBytes: number | undefined): Promise<Account> {
    return this.changeAccount(idOrName, { quotaBytes: quotaBytes ?? null });
  }

  /**
   * Changes several fields of an account in one transaction. Fields that already have their value leave no audit entry.
   * @throws ACCOUNT_NOT_FOUND, VALUE_INVALID; nothing is changed then
   */
  async changeAccount(idOrName: string, changes: AccountChanges): Promise<Account> {
    const steps = fieldChanges(changes, this.#now());
    const { id } = await this.account(idOrName);
    return await this.#store.updateAccount(id, (before) => {
      let account = before;
      const entries: AuditEntry[] = [];
      for (const { action, change, apply } of steps) {
        const after = apply(account);
        if (after === account) continue;
        account = after;
        entries.push(this.#entry(action, id, change && { change }));
      }
      return { account, entries };
    });
  }

  /**
   * Makes a key. Id and secret are generated, or fixed by the operator for scripts: a fixed secret is as safe as it is
   * long and random.
   * @throws ACCOUNT_NOT_FOUND, KEY_EXISTS, VALUE_INVALID
   */
  async createKey(
    idOrName: string,
    { name = 'default', id = generateKeyId(), secret = generateSecret(), policy, expiresAt }: KeyOptions = {},
  ): Promise<IssuedKey> {
    check('name', name, /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u, '1 to 64 letters, digits, spaces or . _ -');
    check('key id', id, /^[A-Za-z0-9_-]{1,128}$/, '1 to 128 letters, digits, _ or -, since it stands in URLs');
    checkSecret(secret);
    const account = await this.account(idOrName);
    const createdAt = this.#now();
    const key: ApiKey = {
      id,
      accountId: account.id,
      name,
      createdAt,
      secrets: [storeSecret(secret)],
      revokedAt: undefined,
      ...(policy && { policy: parseKeyPolicy(policy) }),
      ...(expiresAt !== undefined && { expiresAt: futureTime(expiresAt, createdAt) }),
    };
    const change = { name, policy: key.policy, expiresAt };
    await this.#store.insertKey(key, this.#entry('key.create', account.id, { keyId: id, change }));
    return { key, secret };
  }

  /**
   * Changes what a key is limited to, in every process at once; what is left out stays.
   * @throws KEY_NOT_FOUND, KEY_REVOKED, VALUE_INVALID
   */
  async limitKey(keyId: string, { policy, expiresAt }: Pick<KeyOptions, 'policy' | 'expiresAt'>): Promise<ApiKey> {
    const change = {
      ...(policy && { policy: parseKeyPolicy(policy) }),
      ...(expiresAt !== undefined && { expiresAt: futureTime(expiresAt, this.#now()) }),
    };
    const apply = (key: ApiKey): ApiKey => ({ ...alive(key), ...change });
    return await this.#store.updateKey(keyId, apply, this.#entry('key.limit', '', { keyId, change }));
  }

  /** All keys of an account, revoked ones included. @throws ACCOUNT_NOT_FOUND */
  async keys(idOrName: string): Promise<ApiKey[]> {
    const { id } = await this.account(idOrName);
    const keys: ApiKey[] = [];
    for await (const key of this.#store.keys(id)) keys.push(key);
    return keys;
  }

  /**
   * Gives a key a new secret. The old one stays valid for `graceMs` (default one day), so that clients can be moved.
   * @throws KEY_NOT_FOUND, KEY_REVOKED, VALUE_INVALID
   */
  async rotateKey(
    keyId: string,
    { graceMs = dayMs, secret = generateSecret() }: { readonly graceMs?: number; readonly secret?: string } = {},
  ): Promise<IssuedKey> {
    checkSecret(secret);
    const now = this.#now();
    const stored = storeSecret(secret);
    const change = (before: ApiKey): ApiKey => {
      const [newest] = alive(before).secrets;
      const previous = newest && graceMs > 0 ? [{ ...newest, expiresAt: now + graceMs }] : [];
      return { ...before, secrets: [stored, ...previous] };
    };
    const entry = this.#entry('key.rotate', '', { keyId, change: { graceMs } });
    return { key: await this.#store.updateKey(keyId, change, entry), secret };
  }

  /** Ends a key for good, in every process at once. @throws KEY_NOT_FOUND */
  revokeKey(keyId: string): Promise<ApiKey> {
    const now = this.#now();
    const change = (key: ApiKey): ApiKey => ({ ...key, revokedAt: key.revokedAt ?? now });
    return this.#store.updateKey(keyId, change, this.#entry('key.revoke', '', { keyId }));
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

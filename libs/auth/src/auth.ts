import { randomUUID } from 'node:crypto';
import type { Account, ApiKey, Principal } from './account.ts';
import { type AccountChanges, fieldChanges, limitsOf, planPattern } from './account-changes.ts';
import type { AccountStore } from './account-store.ts';
import type { Actor, AuditEntry } from './audit.ts';
import type { AccountOptions, AuthOptions, IssuedKey, KeyOptions } from './auth-types.ts';
import { requireActiveKey, requireAmount, requireFutureTime, requirePattern, requireSecret } from './checks.ts';
import { type ContentLink, ContentLinks } from './content-links.ts';
import { type DelegationPayer, Delegations, delegatedPrincipal, isDelegation } from './delegation.ts';
import { AuthError, accountNotFound, accountSuspended, credentialsInvalid } from './errors.ts';
import { type KeyPolicy, parseKeyPolicy } from './key-policy.ts';
import { newMember } from './members/member.ts';
import { RecentPrincipals } from './recent-principals.ts';
import type { SecretBox } from './secrets/secret-box.ts';
import { ServiceTokens } from './service-token.ts';
import { createStoredSecret, generateKeyId, generateSecret, keyReference, secretMatches } from './tokens.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** Accounts, cards and keys. Each request reads the store, so that a change applies to the next request in every process. */
export class Auth {
  readonly #store: AccountStore;
  readonly #now: () => number;
  readonly #actor: Actor;
  readonly #secrets: SecretBox | undefined;
  readonly #delegations: Delegations;
  readonly #serviceTokens: ServiceTokens;
  readonly #recent = new RecentPrincipals();
  readonly #links: ContentLinks;

  constructor({ store, secrets, now = Date.now, actor = { who: 'system', from: 'unknown' } }: AuthOptions) {
    this.#store = store;
    this.#secrets = secrets;
    this.#now = now;
    this.#actor = actor;
    this.#delegations = new Delegations(store, secrets, now);
    this.#serviceTokens = new ServiceTokens(store, secrets, now);
    this.#links = new ContentLinks(store, now);
  }

  /** Returns an `Auth` over the same store whose changes are logged with this actor. Close only one of the two. */
  as(actor: Actor): Auth {
    return new Auth({ store: this.#store, secrets: this.#secrets, now: this.#now, actor });
  }

  #entry(action: string, accountId: string, more: Pick<AuditEntry, 'keyId' | 'change' | 'before'> = {}): AuditEntry {
    return { at: this.#now(), actor: this.#actor, action, accountId, ...more };
  }

  /** Yields audit entries, the newest first: of one account, or of all. @throws ACCOUNT_NOT_FOUND */
  async *auditEntries(idOrName?: string): AsyncGenerator<AuditEntry> {
    const id = idOrName === undefined ? undefined : (await this.account(idOrName)).id;
    yield* this.#store.auditEntries(id);
  }

  /**
   * Returns the account and key that a key id and a secret prove.
   * @throws CREDENTIALS_INVALID, the same error after the same work for an unknown key and a wrong secret; ACCOUNT_SUSPENDED
   */
  async authenticate({ keyId, secret }: { readonly keyId: string; readonly secret: string }): Promise<Principal> {
    if (isDelegation(keyId)) return await this.#delegate(keyId);
    const key = await this.#store.key(keyId);
    const matches = secretMatches(key?.secrets ?? [], secret, this.#now());
    if (key === undefined || !matches) throw credentialsInvalid();
    return await this.#principal(key);
  }

  /** Returns the account and key of a key id, without its secret, as JSON-RPC needs. @throws CREDENTIALS_INVALID, ACCOUNT_SUSPENDED */
  async identify(keyId: string): Promise<Principal> {
    if (isDelegation(keyId)) return await this.#delegate(keyId);
    const key = await this.#store.key(keyId);
    if (key === undefined) throw credentialsInvalid();
    const principal = await this.#principal(key);
    this.#recent.add(keyId, principal);
    return principal;
  }

  /**
   * Returns the result of {@link identify} if it is less than 100 ms old, without reading the store. Used on paths where
   * reading account and key costs as much as the rest of the request. A change takes effect there after 100 ms.
   */
  recent(keyId: string): Principal | undefined {
    return this.#recent.get(keyId);
  }

  /** Requires that revocations can be read now: called before a write. @throws the error of the store */
  requireCurrent(): void {
    this.#store.requireCurrent?.();
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
    if (account.status === 'suspended') throw accountSuspended();
    return account;
  }

  /**
   * Creates a delegation: a text that a trusted service, such as the console, sends as a key id, with any secret. It
   * authenticates as the account for one minute, independent of its keys. The service checks first who may act for the account.
   *
   * @param payer `service` for reads of the service's own pages. Such a delegation allows only a few reads and counts against no
   * limit or usage of the account. Default: the account
   * @throws SECRETS_KEY_UNUSABLE
   */
  async delegation(
    accountId: string,
    { payer = 'account' }: { readonly payer?: DelegationPayer } = {},
  ): Promise<string> {
    return await this.#delegations.create(accountId, payer);
  }

  async #delegate(delegation: string): Promise<Principal> {
    const { accountId, payer } = await this.#delegations.verify(delegation);
    return delegatedPrincipal(await this.#activeAccount(accountId), payer);
  }

  /**
   * Creates a service token: a text that a service sends to another service of the same home to prove itself. It is valid for
   * one minute and only for the service named `audience`. @throws SECRETS_KEY_UNUSABLE
   */
  async serviceToken(audience: string): Promise<string> {
    return await this.#serviceTokens.create(audience);
  }

  /** Requires a valid service token for this service. @throws CREDENTIALS_INVALID, SECRETS_KEY_UNUSABLE */
  async requireServiceToken(token: string, audience: string): Promise<void> {
    await this.#serviceTokens.verify(token, audience);
  }

  /**
   * Signs a content link: a text with which anybody reads a path, and all that is below it, until a time. The account pays.
   * Revoking the key ends its links.
   * @throws KEY_NOT_FOUND, KEY_REVOKED, VALUE_INVALID
   */
  async signContentLink(keyId: string, link: Pick<ContentLink, 'path' | 'expiresAt'>): Promise<string> {
    return await this.#links.sign(keyId, link);
  }

  /** Returns the account and key of a content link, and its path. @throws LINK_INVALID, ACCOUNT_SUSPENDED */
  async verifyContentLink(token: string): Promise<{ readonly principal: Principal; readonly path: string }> {
    const { key, path } = await this.#links.verify(token);
    return { principal: await this.#principal(key), path };
  }

  /** Returns the principal of requests to a dedicated host, which only read. @throws ACCOUNT_NOT_FOUND, ACCOUNT_SUSPENDED */
  async hostPrincipal(accountId: string): Promise<Principal> {
    const policy: KeyPolicy = { storage: ['read'], methods: [] };
    const key = { id: `host ${accountId}`, name: 'dedicated host', policy, reference: 'gateway-host' };
    return { account: await this.#activeAccount(accountId), key };
  }

  /** Requires that the account has a billing card. @throws BILLING_CARD_REQUIRED; its hint says how to attach one */
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

  /** Creates an account and, if `owner` is given, its first member. @throws ACCOUNT_EXISTS, MEMBER_EXISTS, VALUE_INVALID */
  async createAccount({ name, email, plan = 'free', owner }: AccountOptions): Promise<Account> {
    requirePattern(
      'name',
      name,
      /^[\p{L}\p{N}][\p{L}\p{N} ._@-]{0,63}$/u,
      '1 to 64 letters, digits, spaces or . _ @ -, the first a letter or digit',
    );
    requirePattern('plan', plan, planPattern, 'a name such as free');
    if (email !== undefined) requirePattern('email', email, /^[^\s@]{1,64}@[^\s@]{1,190}$/, 'an e-mail address');
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
    const member = owner && newMember({ ...owner, accountId, role: 'owner', createdAt });
    await this.#store.insertAccount(
      account,
      this.#entry('account.create', accountId, { change: { name, plan } }),
      member,
    );
    return account;
  }

  /** Finds an account by id or by name. @throws ACCOUNT_NOT_FOUND */
  async account(idOrName: string): Promise<Account> {
    const found = (await this.#store.account(idOrName)) ?? (await this.#store.accountByName(idOrName));
    if (found === undefined) throw accountNotFound(idOrName);
    return found;
  }

  /** Yields all accounts in byte order of their ids. */
  accounts(): AsyncIterable<Account> {
    return this.#store.accounts();
  }

  /** Sets the billing card of an account. @throws ACCOUNT_NOT_FOUND, VALUE_INVALID */
  attachCard(idOrName: string, card: { readonly brand: string; readonly last4: string }): Promise<Account> {
    return this.changeAccount(idOrName, { card });
  }

  /** Removes the billing card of an account. @throws ACCOUNT_NOT_FOUND */
  removeCard(idOrName: string): Promise<Account> {
    return this.changeAccount(idOrName, { card: null });
  }

  /** Suspends an account, so that all its requests are refused, or activates it again. @throws ACCOUNT_NOT_FOUND, VALUE_INVALID */
  setStatus(idOrName: string, status: Account['status']): Promise<Account> {
    return this.changeAccount(idOrName, { status });
  }

  /** Sets the plan of an account, which exists. @throws ACCOUNT_NOT_FOUND, VALUE_INVALID */
  setPlan(idOrName: string, plan: string): Promise<Account> {
    return this.changeAccount(idOrName, { plan });
  }

  /**
   * Sets the bytes that an account may keep in storage. `undefined` restores the limit of its plan.
   * @throws ACCOUNT_NOT_FOUND, VALUE_INVALID
   */
  setQuota(idOrName: string, quotaBytes: number | undefined): Promise<Account> {
    return this.changeAccount(idOrName, { quotaBytes: quotaBytes ?? null });
  }

  /** Allows or refuses IPFS peers to fetch the pinned blocks of an account. @throws as {@link changeAccount} */
  setServing(idOrName: string, servesPeers: boolean): Promise<Account> {
    return this.changeAccount(idOrName, { servesPeers });
  }

  /**
   * Changes several fields of an account in one transaction. Fields that already have the value get no audit entry.
   * @throws ACCOUNT_NOT_FOUND, VALUE_INVALID; nothing is changed then
   */
  async changeAccount(idOrName: string, changes: AccountChanges): Promise<Account> {
    const steps = fieldChanges(changes, this.#now());
    const { id } = await this.account(idOrName);
    return await this.#store.updateAccount(id, (before) => {
      let account = before;
      const entries: AuditEntry[] = [];
      for (const { action, change, before: valuesOf, apply } of steps) {
        const after = apply(account);
        if (after === account) continue;
        entries.push(this.#entry(action, id, { ...(change && { change }), before: valuesOf(account) }));
        account = after;
      }
      return { account, entries };
    });
  }

  /**
   * Creates a key. Id and secret are generated, or given by the operator for scripts: a given secret is only as safe as it
   * is long and random.
   * @throws ACCOUNT_NOT_FOUND, KEY_EXISTS, VALUE_INVALID
   */
  async createKey(
    idOrName: string,
    { name = 'default', id = generateKeyId(), secret = generateSecret(), policy, expiresAt }: KeyOptions = {},
  ): Promise<IssuedKey> {
    requirePattern('name', name, /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u, '1 to 64 letters, digits, spaces or . _ -');
    requirePattern('key id', id, /^[A-Za-z0-9_-]{1,128}$/, '1 to 128 letters, digits, _ or -, since it stands in URLs');
    requireSecret(secret);
    const account = await this.account(idOrName);
    const createdAt = this.#now();
    const key: ApiKey = {
      id,
      accountId: account.id,
      name,
      createdAt,
      secrets: [createStoredSecret(secret)],
      revokedAt: undefined,
      ...(policy && { policy: parseKeyPolicy(policy) }),
      ...(expiresAt !== undefined && { expiresAt: requireFutureTime(expiresAt, createdAt) }),
    };
    const change = { name, policy: key.policy, expiresAt };
    await this.#store.insertKey(key, this.#entry('key.create', account.id, { keyId: id, change }));
    return { key, secret };
  }

  /**
   * Changes the policy or the expiry of a key. It applies to the next request in every process. Omitted fields stay.
   * @throws KEY_NOT_FOUND, KEY_REVOKED, VALUE_INVALID
   */
  async limitKey(keyId: string, { policy, expiresAt }: Pick<KeyOptions, 'policy' | 'expiresAt'>): Promise<ApiKey> {
    const change = {
      ...(policy && { policy: parseKeyPolicy(policy) }),
      ...(expiresAt !== undefined && { expiresAt: requireFutureTime(expiresAt, this.#now()) }),
    };
    const apply = (key: ApiKey): ApiKey => ({ ...requireActiveKey(key), ...change });
    const entry = (before: ApiKey) => this.#entry('key.limit', '', { keyId, change, before: limitsOf(before) });
    return await this.#store.updateKey(keyId, apply, entry);
  }

  /** All keys of an account, revoked ones included. @throws ACCOUNT_NOT_FOUND */
  async keys(idOrName: string): Promise<ApiKey[]> {
    const { id } = await this.account(idOrName);
    const keys: ApiKey[] = [];
    for await (const key of this.#store.keys(id)) keys.push(key);
    return keys;
  }

  /**
   * Gives a key a new secret. The old one stays valid for `graceMs` (default one day), so that clients can switch.
   * @throws KEY_NOT_FOUND, KEY_REVOKED, VALUE_INVALID
   */
  async rotateKey(
    keyId: string,
    { graceMs = dayMs, secret = generateSecret() }: { readonly graceMs?: number; readonly secret?: string } = {},
  ): Promise<IssuedKey> {
    requireSecret(secret);
    const expiresAt = this.#now() + requireAmount('graceMs', graceMs, 'a number of milliseconds');
    const stored = createStoredSecret(secret);
    const change = (before: ApiKey): ApiKey => {
      const [newest] = requireActiveKey(before).secrets;
      const previous = newest && graceMs > 0 ? [{ ...newest, expiresAt }] : [];
      return { ...before, secrets: [stored, ...previous] };
    };
    const entry = this.#entry('key.rotate', '', { keyId, change: { graceMs } });
    return { key: await this.#store.updateKey(keyId, change, entry), secret };
  }

  /** Revokes a key permanently. It applies to the next request in every process. @throws KEY_NOT_FOUND */
  revokeKey(keyId: string): Promise<ApiKey> {
    const change = (key: ApiKey): ApiKey => ({ ...key, revokedAt: key.revokedAt ?? this.#now() });
    return this.#store.updateKey(keyId, change, this.#entry('key.revoke', '', { keyId }));
  }

  /** Closes the store. */
  close(): Promise<void> {
    return this.#store.close();
  }
}

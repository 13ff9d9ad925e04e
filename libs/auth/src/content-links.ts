import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { ApiKey } from './account.ts';
import type { AccountStore } from './account-store.ts';
import { requireActiveKey } from './checks.ts';
import { AuthError, keyNotFound } from './errors.ts';
import { keyReference } from './tokens.ts';

/** Maximum validity of a content link in milliseconds: 366 days. A link that leaks must end. */
export const contentLinkMsMax = 366 * 24 * 3_600_000;

/** Characters of a content path in a link. A link with a longer one fits into few clients. */
const pathCharactersMax = 2048;

/** A name `.` or `..`, which clients resolve: the link would lead elsewhere. */
const dotName = /\/\.{1,2}(\/|$)/;

/** Characters of a link. A path of other than ASCII characters is longer in UTF-8 and base64. */
const linkCharactersMax = 16_384;

/** Permission of a content link: to read a path and all that is below it until a time. The text names the key by its reference, since the id would grant JSON-RPC. */
export interface ContentLink {
  /** Content path, decoded: `/ipfs/<cid>/names` or `/ipns/<name>/names`. */
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Ids of keys in memory, by account and reference. */
const keyIdsMax = 10_000;

/**
 * Signs and verifies content links with a key that is derived from the secret of the home. It is not the key of the secret
 * box: a thief of a backup has the content already.
 */
export class ContentLinks {
  readonly #store: AccountStore;
  readonly #now: () => number;
  readonly #keyIds = new Map<string, string>();
  #macKey: Uint8Array | undefined;

  constructor(store: AccountStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** @throws KEY_NOT_FOUND, KEY_REVOKED, VALUE_INVALID */
  async sign(keyId: string, { path, expiresAt }: Pick<ContentLink, 'path' | 'expiresAt'>): Promise<string> {
    const now = this.#now();
    if (!/^\/ip[fn]s\/[^/]/.test(path) || dotName.test(path) || path.length > pathCharactersMax)
      throw new AuthError(
        'VALUE_INVALID',
        `path: ${JSON.stringify(path.slice(0, 80))} is not a content path such as /ipfs/<cid>/name with at most ${pathCharactersMax} characters.`,
        { details: { field: 'path' } },
      );
    if (!Number.isSafeInteger(expiresAt) || expiresAt <= now || expiresAt > now + contentLinkMsMax)
      throw new AuthError('VALUE_INVALID', 'expiresAt: expected a time in the future, within 366 days.', {
        details: { field: 'expiresAt' },
      });
    const key = await this.#store.key(keyId);
    if (key === undefined) throw keyNotFound();
    const { accountId } = requireActiveKey(key);
    const body = Buffer.from(JSON.stringify([accountId, keyReference(keyId), expiresAt, path])).toString('base64url');
    return `1.${body}.${await this.#macOf(body)}`;
  }

  /**
   * Returns the key and the path of a link. The signature is compared in constant time, before the text is parsed.
   * @throws LINK_INVALID, the same error for a changed, an expired and a revoked link
   */
  async verify(token: string): Promise<{ readonly key: ApiKey; readonly path: string }> {
    const [version, body = '', mac = '', ...rest] = token.length > linkCharactersMax ? [] : token.split('.');
    const expected = Buffer.from(await this.#macOf(body));
    const given = Buffer.from(mac);
    const isGenuine = given.length === expected.length && timingSafeEqual(given, expected);
    if (version !== '1' || rest.length > 0 || !isGenuine) throw linkInvalid();
    const fields: [string, string, number, string] = JSON.parse(Buffer.from(body, 'base64url').toString());
    const [accountId, reference, expiresAt, path] = fields;
    const now = this.#now();
    if (expiresAt <= now) throw linkInvalid();
    const key = await this.#key(accountId, reference);
    if (key === undefined || key.revokedAt !== undefined || (key.expiresAt ?? Number.POSITIVE_INFINITY) <= now)
      throw linkInvalid();
    return { key, path };
  }

  /** Finds a key by its reference. The id is kept, since an account can have many keys. The key itself is read each time. */
  async #key(accountId: string, reference: string): Promise<ApiKey | undefined> {
    const name = `${accountId} ${reference}`;
    const known = this.#keyIds.get(name);
    if (known !== undefined) return await this.#store.key(known);
    for await (const key of this.#store.keys(accountId)) {
      if (keyReference(key.id) !== reference) continue;
      if (this.#keyIds.size >= keyIdsMax) this.#keyIds.clear();
      this.#keyIds.set(name, key.id);
      return key;
    }
    return undefined;
  }

  async #macOf(body: string): Promise<string> {
    this.#macKey ??= new Uint8Array(
      hkdfSync('sha256', await this.#store.serviceSecret(), '', 'cairn content link', 32),
    );
    return createHmac('sha256', this.#macKey).update(`1.${body}`).digest('base64url');
  }
}

function linkInvalid(): AuthError {
  return new AuthError('LINK_INVALID', 'The link is not valid, has expired, or was revoked with its key.', {
    hint: 'Ask its sender for a new link.',
  });
}

import { join } from 'node:path';
import type { AccountStore } from '../account-store.ts';
import { AuthError } from '../errors.ts';
import { totpPlace } from '../members/totp.ts';
import { isSealed, keyMissing, SecretBox, sealedBy } from './secret-box.ts';
import { addKeyToFile, createKeyFile, keysOfFile, parseSecretKeys, type SecretKeySource } from './secret-key.ts';

export interface SecretSettings {
  /** Directory of the stores, and of the key file unless `keyFile` is given. */
  readonly home: string;
  /** Keys as text, in the format of CAIRN_SECRETS_KEY. Takes precedence over any file. */
  readonly key?: string | undefined;
  /** Path of the key file. Default: `secrets.key` in `home`. */
  readonly keyFile?: string | undefined;
  /**
   * Whether services on several machines share the store. Then the key is a setting, and each process verifies that the
   * others have it.
   */
  readonly isShared?: boolean;
}

/** Name of the key file in a home. Backups do not contain it. */
export const secretKeyFile = 'secrets.key';

/** Numbers of secrets by the key that sealed them. */
export interface SecretCounts {
  /** Sealed with the first key. */
  readonly sealed: number;
  /** Unsealed, or sealed with an older key that is available. */
  readonly stale: number;
  /** Sealed with keys that are missing, by key id. */
  readonly lost: Readonly<Record<string, number>>;
}

/** Further store whose secrets are sealed with the keys of the home: private keys of IPNS names, secrets of webhooks. */
export interface SecretHolder {
  /**
   * Replaces secrets. `place` is the name of the record that a secret is bound to. Nothing is written for a secret that `change`
   * returns unchanged. Returns the number of changed ones.
   */
  changeSecrets(change: (secret: string, place: string) => string): Promise<number>;
}

/** Result of {@link openSecrets}. */
export interface OpenedSecrets {
  readonly secrets: SecretBox;
  /** Number of secrets that were unsealed or sealed with an older key, and are now sealed with the first key. */
  readonly resealed: number;
  /** Present if some secrets cannot be opened. They stay unchanged, and each use of them throws the same error. */
  readonly problem: AuthError | undefined;
}

/**
 * Opens the secrets of a home. Creates a key file only if nothing is sealed yet, so that it never replaces a missing one. Seals
 * unsealed secrets, and those under an older key, in one transaction.
 * @throws SECRETS_KEY_UNUSABLE if a key cannot be read
 */
export async function openSecrets(store: AccountStore, settings: SecretSettings): Promise<OpenedSecrets> {
  const { keys, file } = sourceOf(settings);
  if (settings.isShared === true) await requireSharedKey(store, settings, keys);
  const before = await countSecrets(store, keys);
  if (keys().length === 0 && before.sealed + Object.keys(before.lost).length === 0 && file !== undefined)
    createKeyFile(file);
  const secrets = new SecretBox(keys, { isShared: settings.isShared === true });
  const [lostKey] = Object.keys(before.lost);
  const problem = lostKey === undefined ? undefined : lostSecrets(before);
  const resealed = keys().length === 0 || before.stale === 0 ? 0 : await reseal(store, secrets, keys);
  return { secrets, resealed, problem };
}

/**
 * Verifies the key against that of the other processes: services with different keys would refuse each other's tokens, and
 * could not open each other's secrets. A new first key replaces the stored one if this process has the stored one as well.
 * @throws SECRETS_KEY_UNUSABLE
 */
async function requireSharedKey(store: AccountStore, settings: SecretSettings, source: SecretKeySource): Promise<void> {
  if (settings.key === undefined && settings.keyFile === undefined)
    throw new AuthError('SECRETS_KEY_UNUSABLE', 'CAIRN_DATABASE_URL is set, and CAIRN_SECRETS_KEY is not.', {
      hint: 'Set CAIRN_SECRETS_KEY or CAIRN_SECRETS_KEY_FILE to the same key on all machines, for example from `openssl rand -base64 32`.',
    });
  const keys = source();
  const [first] = keys;
  if (first === undefined) throw keyMissing(undefined);
  const stored = await store.changeSharedText('secrets key', (known) =>
    known === undefined || keys.some(({ id }) => id === known) ? first.id : known,
  );
  if (stored === first.id) return;
  throw new AuthError(
    'SECRETS_KEY_UNUSABLE',
    `The services of this database use the secrets key ${stored}; this one has ${keys.map(({ id }) => id).join(', ')}.`,
    {
      hint: 'Set CAIRN_SECRETS_KEY to the same keys on all machines. For a new key, first add it behind the old one everywhere.',
      details: { keyId: stored },
    },
  );
}

/** Returns the source of the keys of a home, and the file in which keys can be created. */
function sourceOf({ home, key, keyFile }: SecretSettings): {
  readonly keys: SecretKeySource;
  readonly file: string | undefined;
} {
  if (key !== undefined) {
    const keys = parseSecretKeys(key, 'CAIRN_SECRETS_KEY');
    return { keys: () => keys, file: undefined };
  }
  const file = keyFile ?? join(home, secretKeyFile);
  return { keys: keysOfFile(file), file };
}

/** Counts the secrets of a home by key: second factors and the secrets of `others`. It changes nothing. */
export async function secretsOf(
  store: AccountStore,
  settings: SecretSettings,
  others: readonly SecretHolder[] = [],
): Promise<SecretCounts> {
  return await countSecrets(store, sourceOf(settings).keys, others);
}

async function countSecrets(
  store: AccountStore,
  source: SecretKeySource,
  others: readonly SecretHolder[] = [],
): Promise<SecretCounts> {
  const keys = source();
  const lost: Record<string, number> = {};
  let [sealed, stale] = [0, 0];
  const count = (secret: string) => {
    const id = isSealed(secret) ? sealedBy(secret) : undefined;
    if (id !== undefined && id === keys[0]?.id) sealed++;
    else if (id === undefined || keys.some((key) => key.id === id)) stale++;
    else lost[id] = (lost[id] ?? 0) + 1;
    return secret;
  };
  for await (const { totp } of store.members.list()) if (totp !== undefined) count(totp.secret);
  for (const holder of others) await holder.changeSecrets(count);
  return { sealed, stale, lost };
}

function lostSecrets({ lost }: SecretCounts): AuthError {
  const [id] = Object.keys(lost);
  const count = Object.values(lost).reduce((sum, one) => sum + one, 0);
  const { hint, details } = keyMissing(id);
  const message = `${count} second factors are sealed with key ${Object.keys(lost).join(', ')}, which is missing: their members cannot sign in.`;
  return new AuthError('SECRETS_KEY_UNUSABLE', message, {
    hint: `${hint ?? ''} If the key is lost, remove each second factor with \`cairn member reset-totp\`.`,
    details,
  });
}

/** Seals all secrets with the first key, in one transaction. Returns the number of secrets that changed. */
async function reseal(store: AccountStore, secrets: SecretBox, source: SecretKeySource): Promise<number> {
  return await store.members.changeSecrets((secret, memberId) => {
    const place = totpPlace(memberId);
    return isSealed(secret) ? withFirstKey(secret, { place, secrets, source }) : secrets.seal(secret, place);
  });
}

/** Seals a secret of an older key with the first one. A secret whose key is missing stays. */
function withFirstKey(
  secret: string,
  { place, secrets, source }: { readonly place: string; readonly secrets: SecretBox; readonly source: SecretKeySource },
): string {
  const keys = source();
  const id = sealedBy(secret);
  const isOlder = id !== keys[0]?.id && keys.some((key) => key.id === id);
  return isOlder ? secrets.seal(secrets.open(secret, place), place) : secret;
}

/**
 * Adds a new first key and seals all secrets with it. Running services reload the file. The previous key stays in the file
 * until the next rotation, for secrets that services seal before they reload.
 * @throws SECRETS_KEY_UNUSABLE if the key is a setting, or the key of some secret is missing
 */
export async function rotateSecrets(
  store: AccountStore,
  settings: SecretSettings,
  others: readonly SecretHolder[] = [],
): Promise<{ readonly keyId: string; readonly resealed: number }> {
  const { keys, file } = sourceOf(settings);
  if (file === undefined) {
    throw new AuthError('SECRETS_KEY_UNUSABLE', 'The key is in the setting CAIRN_SECRETS_KEY, not in a file.', {
      hint: 'Set CAIRN_SECRETS_KEY to "<new key>,<old key>" and restart all services: they seal all secrets with the new key.',
    });
  }
  const { problem } = await openSecrets(store, settings);
  // Rotation drops the oldest key of the file, so no secret may depend on a missing key.
  if (problem !== undefined) throw problem;
  for (const holder of others) await holder.changeSecrets((secret) => requireKnown(secret, keys));
  const { id } = addKeyToFile(file, keys());
  const secrets = new SecretBox(keys);
  const resealed = await reseal(store, secrets, keys);
  return { keyId: id, resealed: resealed + (await resealSecrets(settings, others)) };
}

/**
 * Seals secrets under an older key with the first one, for keys in a setting, which are replaced with a restart. Secrets whose
 * key is missing stay. Returns the number of secrets that changed.
 * @throws SECRETS_KEY_UNUSABLE if a key cannot be read
 */
export async function resealSecrets(settings: SecretSettings, holders: readonly SecretHolder[]): Promise<number> {
  const { keys } = sourceOf(settings);
  if (keys().length === 0) return 0;
  const secrets = new SecretBox(keys);
  let resealed = 0;
  for (const holder of holders)
    resealed += await holder.changeSecrets((secret, place) => withFirstKey(secret, { place, secrets, source: keys }));
  return resealed;
}

/** Returns the secret if its key is available. @throws SECRETS_KEY_UNUSABLE */
function requireKnown(secret: string, source: SecretKeySource): string {
  const id = sealedBy(secret);
  if (!source().some((key) => key.id === id)) throw keyMissing(id);
  return secret;
}

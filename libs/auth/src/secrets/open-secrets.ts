import { join } from 'node:path';
import type { AccountStore } from '../account-store.ts';
import { AuthError } from '../errors.ts';
import { totpPlace } from '../members/totp.ts';
import { isSealed, keyMissing, SecretBox, sealedBy } from './secret-box.ts';
import { addKeyToFile, createKeyFile, keysOfFile, parseSecretKeys, type SecretKeySource } from './secret-key.ts';

export interface SecretSettings {
  /** Directory of the stores; the key file is in it unless it is named. */
  readonly home: string;
  /** Keys themselves, as CAIRN_SECRETS_KEY has them. Goes before any file. */
  readonly key?: string | undefined;
  readonly keyFile?: string | undefined;
}

/** The name of the key file in a home. Backups leave it out. */
export const secretKeyFile = 'secrets.key';

/** Second factors by what they are sealed with. */
export interface SecretCounts {
  /** Sealed with the first key. */
  readonly sealed: number;
  /** Clear, or sealed with another key that is here. */
  readonly stale: number;
  /** Sealed with keys that are not here, by the id of the key. */
  readonly lost: Readonly<Record<string, number>>;
}

/** Report of {@link openSecrets}. */
export interface OpenedSecrets {
  readonly secrets: SecretBox;
  /** Secrets that were clear, or sealed with an older key. */
  readonly resealed: number;
  /** Set where some secrets cannot be opened: they stay as they are, and each use of them fails with the same error. */
  readonly problem: AuthError | undefined;
}

/**
 * The box of a home. Makes a key file where nothing was sealed yet, never in the place of one that is missing. Seals what is clear
 * or under an older key, in one transaction. @throws SECRETS_KEY_UNUSABLE for a key that cannot be read
 */
export async function openSecrets(store: AccountStore, settings: SecretSettings): Promise<OpenedSecrets> {
  const { keys, file } = sourceOf(settings);
  const before = await countSecrets(store, keys);
  if (keys().length === 0 && before.sealed + Object.keys(before.lost).length === 0 && file !== undefined)
    createKeyFile(file);
  const secrets = new SecretBox(keys);
  const [lostKey] = Object.keys(before.lost);
  const problem = lostKey === undefined ? undefined : lostSecrets(before);
  const resealed = keys().length === 0 || before.stale === 0 ? 0 : await reseal(store, secrets, keys);
  return { secrets, resealed, problem };
}

/** Where the keys of a home come from, with the file that they can be made in. */
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

/** State of the secrets of a home, without a change. */
export async function secretsOf(store: AccountStore, settings: SecretSettings): Promise<SecretCounts> {
  return await countSecrets(store, sourceOf(settings).keys);
}

async function countSecrets(store: AccountStore, source: SecretKeySource): Promise<SecretCounts> {
  const keys = source();
  const lost: Record<string, number> = {};
  let [sealed, stale] = [0, 0];
  for await (const { totp } of store.members.list()) {
    if (totp === undefined) continue;
    const id = isSealed(totp.secret) ? sealedBy(totp.secret) : undefined;
    if (id !== undefined && id === keys[0]?.id) sealed++;
    else if (id === undefined || keys.some((key) => key.id === id)) stale++;
    else lost[id] = (lost[id] ?? 0) + 1;
  }
  return { sealed, stale, lost };
}

function lostSecrets({ lost }: SecretCounts): AuthError {
  const [id] = Object.keys(lost);
  const count = Object.values(lost).reduce((sum, one) => sum + one, 0);
  const { hint, details } = keyMissing(id);
  const message = `${count} second factors are sealed with key ${Object.keys(lost).join(', ')}, which is not there: their members cannot sign in.`;
  return new AuthError('SECRETS_KEY_UNUSABLE', message, {
    hint: `${hint ?? ''} Where it is lost, \`cairn member reset-totp\` removes a second factor.`,
    details,
  });
}

/** Seals with the first key what is not, in one transaction. */
async function reseal(store: AccountStore, secrets: SecretBox, source: SecretKeySource): Promise<number> {
  return await store.members.changeSecrets((secret, memberId) => {
    const keys = source();
    const place = totpPlace(memberId);
    if (!isSealed(secret)) return secrets.seal(secret, place);
    const id = sealedBy(secret);
    const isOlder = id !== keys[0]?.id && keys.some((key) => key.id === id);
    return isOlder ? secrets.seal(secrets.open(secret, place), place) : secret;
  });
}

/**
 * Puts a new key first and seals everything with it. Running services read the file anew. The key before stays in the file, for what
 * they seal at this moment, until the next rotation. @throws SECRETS_KEY_UNUSABLE where the key is a setting, or some secret is lost
 */
export async function rotateSecrets(
  store: AccountStore,
  settings: SecretSettings,
): Promise<{ readonly keyId: string; readonly resealed: number }> {
  const { keys, file } = sourceOf(settings);
  if (file === undefined) {
    throw new AuthError('SECRETS_KEY_UNUSABLE', 'The key is in the setting CAIRN_SECRETS_KEY, not in a file.', {
      hint: 'Set CAIRN_SECRETS_KEY to "<new key>,<old key>" and start all services again: they seal everything with the new one.',
    });
  }
  const { problem } = await openSecrets(store, settings);
  // A key that was dropped from the file could not be put back.
  if (problem !== undefined) throw problem;
  const { id } = addKeyToFile(file, keys());
  const resealed = await reseal(store, new SecretBox(keys), keys);
  return { keyId: id, resealed };
}

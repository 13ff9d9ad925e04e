import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { AuthError } from '../errors.ts';
import type { SecretKey, SecretKeySource } from './secret-key.ts';

const version = 's1';
const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Reports whether a text is sealed. Unsealed second factors are base32, which has no dots. */
export function isSealed(text: string): boolean {
  return text.startsWith(`${version}.`);
}

/** Returns the id of the key that sealed a text. */
export function sealedBy(sealed: string): string {
  return sealed.split('.')[1] ?? '';
}

/**
 * Encrypts secrets that cannot be stored as hashes: AES-256-GCM with a random nonce. The name of the record is
 * authenticated as additional data, so that a sealed secret cannot be moved to another record.
 */
export class SecretBox {
  readonly #keys: SecretKeySource;
  readonly #isShared: boolean;

  /**
   * @param options.isShared whether processes change to a new first key one after the other, so that for a while they sign
   * with different keys. Otherwise only the first key verifies, since a replaced key may be known to others.
   */
  constructor(keys: SecretKeySource, { isShared = false }: { readonly isShared?: boolean } = {}) {
    this.#keys = keys;
    this.#isShared = isShared;
  }

  /** Id of the first key, which seals. @throws SECRETS_KEY_UNUSABLE */
  get keyId(): string {
    return this.#key().id;
  }

  /** Encrypts a text for the record named `place`. @throws SECRETS_KEY_UNUSABLE if there is no key */
  seal(text: string, place: string): string {
    const { id, bytes } = this.#key();
    const nonce = randomBytes(nonceBytes);
    const sealing = createCipheriv(cipher, bytes, nonce).setAAD(Buffer.from(place));
    const body = Buffer.concat([nonce, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()]);
    return `${version}.${id}.${body.toString('base64url')}`;
  }

  /**
   * Decrypts a text that was sealed for the record named `place`. @throws SECRETS_KEY_UNUSABLE if the key is missing or the
   * text was changed
   */
  open(sealed: string, place: string): string {
    const [, id = '', text = ''] = sealed.split('.');
    const key = this.#keys().find((candidate) => candidate.id === id);
    if (key === undefined) throw keyMissing(id);
    const body = Buffer.from(text, 'base64url');
    try {
      const opening = createDecipheriv(cipher, key.bytes, body.subarray(0, nonceBytes), { authTagLength: tagBytes });
      opening.setAAD(Buffer.from(place)).setAuthTag(body.subarray(-tagBytes));
      return opening.update(body.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + opening.final('utf8');
    } catch (cause) {
      throw new AuthError('SECRETS_KEY_UNUSABLE', `A secret that key ${id} sealed was changed or moved.`, {
        hint: 'Restore the store from a backup, or reset the secret with `cairn member reset-totp`.',
        cause,
      });
    }
  }

  /** Derives 32 bytes from the first key for another purpose (HKDF-SHA-256). @throws SECRETS_KEY_UNUSABLE */
  derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#key().bytes, '', `cairn ${purpose}`, 32));
  }

  /** Derives as {@link derive} does from each key that verifies signatures. @throws SECRETS_KEY_UNUSABLE */
  deriveEach(purpose: string): readonly Buffer[] {
    const keys = this.#isShared ? this.#keys() : [];
    const older = keys.slice(1).map(({ bytes }) => Buffer.from(hkdfSync('sha256', bytes, '', `cairn ${purpose}`, 32)));
    return [this.derive(purpose), ...older];
  }

  #key(): SecretKey {
    const [key] = this.#keys();
    if (key === undefined) throw keyMissing(undefined);
    return key;
  }
}

/** Creates the error for a missing and for a replaced key: restoring the right key fixes both. */
export function keyMissing(id: string | undefined): AuthError {
  const which = id === undefined ? 'The key of the secrets in this home' : `Key ${id} of the secrets in this home`;
  return new AuthError('SECRETS_KEY_UNUSABLE', `${which} is missing.`, {
    hint: 'The operator restores it: the file secrets.key in CAIRN_HOME, or CAIRN_SECRETS_KEY_FILE or CAIRN_SECRETS_KEY.',
    ...(id !== undefined && { details: { keyId: id } }),
  });
}

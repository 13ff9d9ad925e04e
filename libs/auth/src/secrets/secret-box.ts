import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { AuthError } from '../errors.ts';
import type { SecretKey, SecretKeySource } from './secret-key.ts';

const version = 's1';
const cipher = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** Whether a text is something that was sealed. Base32, in which second factors are kept otherwise, has no dots. */
export function isSealed(text: string): boolean {
  return text.startsWith(`${version}.`);
}

/** The id of the key that sealed a text. */
export function sealedBy(sealed: string): string {
  return sealed.split('.')[1] ?? '';
}

/**
 * Seals secrets that have to be kept as they are: AES-256-GCM under a random nonce, with the place of the secret as additional
 * data, so that a sealed secret does not open in another place.
 */
export class SecretBox {
  readonly #keys: SecretKeySource;

  constructor(keys: SecretKeySource) {
    this.#keys = keys;
  }

  /** The id of the key that seals. @throws SECRETS_KEY_UNUSABLE */
  get keyId(): string {
    return this.#key().id;
  }

  /** @throws SECRETS_KEY_UNUSABLE where there is no key */
  seal(text: string, place: string): string {
    const { id, bytes } = this.#key();
    const nonce = randomBytes(nonceBytes);
    const sealing = createCipheriv(cipher, bytes, nonce).setAAD(Buffer.from(place));
    const body = Buffer.concat([nonce, sealing.update(text, 'utf8'), sealing.final(), sealing.getAuthTag()]);
    return `${version}.${id}.${body.toString('base64url')}`;
  }

  /** What was sealed at that place. @throws SECRETS_KEY_UNUSABLE for a key that is not here, and what was changed */
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
        hint: 'Restore the store from a backup, or reset the secret: `cairn member reset-totp`.',
        cause,
      });
    }
  }

  /** 32 bytes of the first key for another purpose. @throws SECRETS_KEY_UNUSABLE */
  derive(purpose: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#key().bytes, '', `cairn ${purpose}`, 32));
  }

  #key(): SecretKey {
    const [key] = this.#keys();
    if (key === undefined) throw keyMissing(undefined);
    return key;
  }
}

/** One error for a key that is missing and for another one: both end when the right key is back. */
export function keyMissing(id: string | undefined): AuthError {
  const which = id === undefined ? 'The key of the secrets in this home' : `Key ${id} of the secrets in this home`;
  return new AuthError('SECRETS_KEY_UNUSABLE', `${which} is not there.`, {
    hint: 'Its operator puts it back: the file secrets.key in CAIRN_HOME, or CAIRN_SECRETS_KEY_FILE or CAIRN_SECRETS_KEY.',
    ...(id !== undefined && { details: { keyId: id } }),
  });
}

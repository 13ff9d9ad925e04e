import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { AuthError } from '../errors.ts';

/** Key that seals secrets. */
export interface SecretKey {
  /** First eight hexadecimal digits of a hash of the key, stored with each secret it sealed. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** Returns the keys of a home; empty if there are none. The first key seals; the others only open older secrets. */
export type SecretKeySource = () => readonly SecretKey[];

const keyBytes = 32;
const keysMax = 8;

/**
 * Parses keys: 32 bytes each in base64 or hexadecimal, separated by commas or lines. Lines that start with # are comments.
 * @throws SECRETS_KEY_UNUSABLE naming the place; the message does not contain the text
 */
export function parseSecretKeys(text: string, place: string): readonly SecretKey[] {
  const words = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join(',')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  const keys = words.map((word) => keyOf(word, place));
  if (keys.length > 0 && keys.length <= keysMax) return keys;
  throw unusable(`${place} has ${keys.length} keys; expected 1 to ${keysMax}.`);
}

function keyOf(word: string, place: string): SecretKey {
  const isHex = /^[0-9a-f]{64}$/i.test(word);
  const isBase64 = /^[A-Za-z0-9+/_-]{43}=?$/.test(word);
  if (!isHex && !isBase64) throw unusable(`${place} contains a text that is not a key.`);
  return secretKey(Buffer.from(word, isHex ? 'hex' : 'base64'));
}

function secretKey(bytes: Buffer): SecretKey {
  return { id: createHash('sha256').update('cairn secret key').update(bytes).digest('hex').slice(0, 8), bytes };
}

function unusable(message: string): AuthError {
  return new AuthError('SECRETS_KEY_UNUSABLE', message, {
    hint: 'Use 32 random bytes in base64 or hexadecimal, for example from `openssl rand -base64 32`.',
  });
}

/** Returns a source that reads the keys of a file, and again after each change. A missing file has no keys. @throws SECRETS_KEY_UNUSABLE */
export function keysOfFile(file: string): SecretKeySource {
  let known: { readonly state: string; readonly keys: readonly SecretKey[] } | undefined;
  return () => {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return [];
    const state = `${found.ino} ${found.size} ${found.mtimeMs}`;
    if (known?.state !== state) known = { state, keys: parseSecretKeys(readKeyFile(file), file) };
    return known.keys;
  };
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new AuthError('SECRETS_KEY_UNUSABLE', `The key file ${file} cannot be read.`, {
      hint: 'Make it readable for the user of the services, and for no other user.',
      cause,
    });
  }
}

/** Creates a key file with mode 0600 if there is none. Concurrent processes end up with the same key. */
export function createKeyFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = writeDraft(file, [secretKey(randomBytes(keyBytes))]);
  try {
    linkSync(draft, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(draft);
  }
  flushDirectory(file);
}

/**
 * Adds a new first key to a file and keeps the previous one, so that secrets sealed meanwhile by other processes can be opened.
 * Older keys are dropped: no secret may depend on them. The change is atomic and durable.
 */
export function addKeyToFile(file: string, keys: readonly SecretKey[]): SecretKey {
  const added = secretKey(randomBytes(keyBytes));
  renameSync(writeDraft(file, [added, ...keys.slice(0, 1)]), file);
  flushDirectory(file);
  return added;
}

const fileHead =
  '# Keys of the secrets in this home, the current one first. Keep a copy in another place than backups of the home.';

function writeDraft(file: string, keys: readonly SecretKey[]): string {
  const draft = `${file}.${process.pid}`;
  const lines = [fileHead, ...keys.map(({ bytes }) => bytes.toString('base64')), ''];
  rmSync(draft, { force: true });
  writeFileSync(draft, lines.join('\n'), { mode: 0o600, flag: 'wx', flush: true });
  return draft;
}

function flushDirectory(file: string): void {
  const descriptor = openSync(dirname(file), 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

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

/** A key that secrets are sealed with. */
export interface SecretKey {
  /** Eight hexadecimal digits of a hash of it, kept beside what it sealed. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** Keys, the first of which seals; the others only open what was sealed before. Empty where there are none. */
export type SecretKeySource = () => readonly SecretKey[];

const keyBytes = 32;
const keysMax = 8;

/**
 * Reads keys: 32 bytes each in base64 or hexadecimal, separated by commas or lines; lines that begin with # are comments.
 * @throws SECRETS_KEY_UNUSABLE naming the place, never the text
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
  throw unusable(`${place} has ${keys.length} keys instead of 1 to ${keysMax}.`);
}

function keyOf(word: string, place: string): SecretKey {
  const isHex = /^[0-9a-f]{64}$/i.test(word);
  const isBase64 = /^[A-Za-z0-9+/_-]{43}=?$/.test(word);
  if (!isHex && !isBase64) throw unusable(`${place} has something that is not a key.`);
  return secretKey(Buffer.from(word, isHex ? 'hex' : 'base64'));
}

function secretKey(bytes: Buffer): SecretKey {
  return { id: createHash('sha256').update('cairn secret key').update(bytes).digest('hex').slice(0, 8), bytes };
}

function unusable(message: string): AuthError {
  return new AuthError('SECRETS_KEY_UNUSABLE', message, {
    hint: 'Give 32 random bytes in base64 or hexadecimal; `openssl rand -base64 32` makes them.',
  });
}

/** Keys of a file, read again when the file changes. A file that is not there has none. @throws SECRETS_KEY_UNUSABLE */
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
    throw new AuthError('SECRETS_KEY_UNUSABLE', `${file} cannot be read.`, {
      hint: 'Let the user of the services read it, and nobody else.',
      cause,
    });
  }
}

/** Makes a key file with mode 0600 unless there is one. Processes that do so at the same time end with the same key. */
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
 * Puts a new key before the first key of a file, and keeps that one: what other processes seal with it at this moment can still
 * be opened. Keys before it are dropped, so nothing may be sealed with them. Atomic and durable.
 */
export function addKeyToFile(file: string, keys: readonly SecretKey[]): SecretKey {
  const added = secretKey(randomBytes(keyBytes));
  renameSync(writeDraft(file, [added, ...keys.slice(0, 1)]), file);
  flushDirectory(file);
  return added;
}

const fileHead = '# Keys of secrets in this home, the one in use first. Keep a copy apart from backups of the home.';

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

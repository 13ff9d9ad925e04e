import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LimitStore, openLmdbLimitStore } from '@cairn/metering';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { sharedSignInAttempts } from './sign-in-attempts.ts';

let directory: string;
let stores: LimitStore[];
let now: number;
beforeEach(async () => {
  now = Date.UTC(2026, 0, 2);
  directory = mkdtempSync(join(tmpdir(), 'cairn-attempts-'));
  const open = () => openLmdbLimitStore({ directory, now: () => now });
  stores = [await open(), await open()];
});
afterEach(async () => {
  for (const store of stores) await store.close();
  rmSync(directory, { recursive: true });
});

/** Two console processes over one limit store. */
const consoles = () => stores.map((store) => sharedSignInAttempts(store));
const isPaused = (attempt: unknown) =>
  Promise.resolve(attempt).then(
    () => false,
    ({ code }: { readonly code?: unknown }) => code === 'ATTEMPTS_PAUSED',
  );

test('two processes share ten concurrent attempts for one member', async () => {
  const [one, other] = consoles();
  const attempts = Array.from({ length: 100 }, (_, n) => (n % 2 === 0 ? one : other)?.reserve('a@b', 'here'));
  const paused = await Promise.all(attempts.map(isPaused));
  expect(paused.filter((is) => !is)).toHaveLength(10);
  await expect(one?.reserve('a@b', 'here')).rejects.toMatchObject({ details: { retryAfterSeconds: 60 } });
  expect(await isPaused(one?.reserve('a@b', 'elsewhere'))).toBe(false);
  expect(await isPaused(one?.reserve('other@b', 'here'))).toBe(false);
  now += 60_000;
  expect(await isPaused(other?.reserve('a@b', 'here'))).toBe(false);
  expect(await isPaused(other?.reserve('a@b', 'here'))).toBe(true);
});

test('a successful attempt returns all tokens; a withdrawn attempt returns its own', async () => {
  const [one] = consoles();
  for (let n = 0; n < 9; n++) await one?.reserve('a@b', 'here');
  await (await one?.reserve('a@b', 'here'))?.succeeded();
  for (let n = 0; n < 9; n++) await one?.reserve('a@b', 'here');
  for (let n = 0; n < 5; n++) await (await one?.reserve('a@b', 'here'))?.withdrawn();
  await one?.reserve('a@b', 'here');
  expect(await isPaused(one?.reserve('a@b', 'here'))).toBe(true);
});

test('an address that tries many members is paused, except for members who signed in from it before', async () => {
  const [one] = consoles();
  await (await one?.reserve('good@b', 'here'))?.succeeded();
  for (let n = 0; n < 100; n++) await one?.reserve(`${n}@b`, 'here');
  expect(await isPaused(one?.reserve('new@b', 'here'))).toBe(true);
  expect(await isPaused(one?.reserve('good@b', 'here'))).toBe(false);
});

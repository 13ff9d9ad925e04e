import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { openPeerIdentity } from './peer-identity.ts';

const home = mkdtempSync(join(tmpdir(), 'cairn-identity-'));
afterAll(() => rmSync(home, { recursive: true }));

test('processes that start together on one home get one identity, which stays', async () => {
  const identities = await Promise.all([openPeerIdentity({ home }), openPeerIdentity({ home })]);
  const { id, publicKey } = await openPeerIdentity({ home });
  expect(identities.map((identity) => identity.id)).toEqual([id, id]);
  expect(id).toMatch(/^12D3KooW[1-9A-HJ-NP-Za-km-z]{44}$/);
  expect(Buffer.from(publicKey, 'base64')).toHaveLength(36);
  expect(statSync(join(home, 'identity.pem')).mode & 0o777).toBe(0o600);
});

test('an identity in a shared store is created once', async () => {
  let stored: string | undefined;
  const keep = async (create: () => string) => {
    stored ??= create();
    return stored;
  };
  const { id, privateKey } = await openPeerIdentity({ keep });
  expect(await openPeerIdentity({ keep })).toMatchObject({ id });
  expect(stored).toBe(privateKey.export({ format: 'pem', type: 'pkcs8' }));
});

test('a damaged identity is not replaced', async () => {
  const damaged = mkdtempSync(join(tmpdir(), 'cairn-identity-'));
  writeFileSync(join(damaged, 'identity.pem'), 'no key');
  await expect(openPeerIdentity({ home: damaged })).rejects.toThrow();
  expect(readFileSync(join(damaged, 'identity.pem'), 'utf8')).toBe('no key');
  rmSync(damaged, { recursive: true });
});

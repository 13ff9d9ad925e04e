import { AuthError, type Principal } from '@cairn/auth';
import { describe, expect, test } from '@jest/globals';
import { identify, keyInPath } from './api-key.ts';

describe('keyInPath', () => {
  test.each([
    ['/v3/abc', 'abc'],
    ['/v3/abc/', 'abc'],
    ['/v3/abc?network=1', 'abc'],
    ['/v3/abc/?a=/b', 'abc'],
    ['/v3/', undefined],
    ['/v3', undefined],
    ['/v3/?key=abc', undefined],
    ['/v3/abc/def', undefined],
    ['/v4/abc', undefined],
    [undefined, undefined],
  ])('%s has %s', (url, key) => {
    expect(keyInPath(url, '/v3/')).toBe(key);
  });
});

describe('identify', () => {
  const authThat = (identifies: () => Promise<Principal>) => ({ identify: identifies });

  test('tells who a key belongs to', async () => {
    const principal = { account: { id: 'acc_1' }, key: { id: 'abc', name: 'default' } } as Principal;
    expect(
      await identify(
        authThat(async () => principal),
        'abc',
      ),
    ).toBe(principal);
  });

  test.each([
    ['CREDENTIALS_INVALID', 401, 'Create one with `cairn key create`'],
    ['ACCOUNT_SUSPENDED', 403, 'The account is suspended.'],
  ] as const)('%s becomes %d and never shows the key', async (code, status, message) => {
    const auth = authThat(async () => {
      throw new AuthError(code, 'The account is suspended.');
    });
    const error = await identify(auth, 'planted-key').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status, rpcCode: -32001, message: expect.stringContaining(message) });
    expect(JSON.stringify(error)).not.toContain('planted-key');
  });

  test('what else goes wrong is not taken for a wrong key', async () => {
    const broken = new Error('disk');
    await expect(
      identify(
        authThat(() => Promise.reject(broken)),
        'abc',
      ),
    ).rejects.toBe(broken);
  });
});

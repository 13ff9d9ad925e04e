import { AuthError, type Principal } from '@cairn/auth';
import { describe, expect, test } from '@jest/globals';
import { ApiKeyGuard, keyInPath } from './api-key-guard.ts';

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
  ])('finds in %s the key %s', (url, key) => {
    expect(keyInPath(url, '/v3/')).toBe(key);
  });
});

describe('ApiKeyGuard.identify', () => {
  const guardOf = (identify: () => Promise<Principal>) => new ApiKeyGuard({ identify, recent: () => undefined });

  test('returns the principal of a key', async () => {
    const principal = { account: { id: 'acc_1' }, key: { id: 'abc', name: 'default' } } as Principal;
    expect(await guardOf(async () => principal).identify('abc', '192.0.2.1')).toBe(principal);
  });

  test.each([
    ['CREDENTIALS_INVALID', 401, 'Create one in the console'],
    ['ACCOUNT_SUSPENDED', 403, 'The account is suspended.'],
  ] as const)('converts %s to %d without showing the key', async (code, status, message) => {
    const guard = guardOf(async () => {
      throw new AuthError(code, 'The account is suspended.');
    });
    const error = await guard.identify('planted-key', '192.0.2.2').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status, rpcCode: -32001, message: expect.stringContaining(message) });
    expect(JSON.stringify(error)).not.toContain('planted-key');
  });

  test('refuses further attempts with 429 after repeated failures', async () => {
    const guard = guardOf(async () => {
      throw new AuthError('CREDENTIALS_INVALID', 'no');
    });
    const attempt = () => guard.identify('wrong', '192.0.2.4').catch((thrown: unknown) => thrown);
    for (let n = 0; n < 11; n++) expect(await attempt()).toMatchObject({ status: 401 });
    expect(await attempt()).toMatchObject({ status: 429, rpcCode: -32005, headers: { 'retry-after': '1' } });
  });

  test('does not report other errors as a wrong key', async () => {
    const broken = new Error('disk');
    await expect(guardOf(() => Promise.reject(broken)).identify('abc', '192.0.2.3')).rejects.toBe(broken);
  });
});

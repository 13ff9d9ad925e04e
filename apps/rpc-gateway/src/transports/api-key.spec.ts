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
        '192.0.2.1',
      ),
    ).toBe(principal);
  });

  test.each([
    ['CREDENTIALS_INVALID', 401, 'Create one in the console'],
    ['ACCOUNT_SUSPENDED', 403, 'The account is suspended.'],
  ] as const)('%s becomes %d and never shows the key', async (code, status, message) => {
    const auth = authThat(async () => {
      throw new AuthError(code, 'The account is suspended.');
    });
    const error = await identify(auth, 'planted-key', '192.0.2.2').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status, rpcCode: -32001, message: expect.stringContaining(message) });
    expect(JSON.stringify(error)).not.toContain('planted-key');
  });

  test('who goes on with a wrong key must wait', async () => {
    const auth = authThat(async () => {
      throw new AuthError('CREDENTIALS_INVALID', 'no');
    });
    const attempt = () => identify(auth, 'wrong', '192.0.2.4').catch((thrown: unknown) => thrown);
    for (let n = 0; n < 11; n++) expect(await attempt()).toMatchObject({ status: 401 });
    expect(await attempt()).toMatchObject({ status: 429, rpcCode: -32005, headers: { 'retry-after': '1' } });
  });

  test('what else goes wrong is not taken for a wrong key', async () => {
    const broken = new Error('disk');
    await expect(
      identify(
        authThat(() => Promise.reject(broken)),
        'abc',
        '192.0.2.3',
      ),
    ).rejects.toBe(broken);
  });
});

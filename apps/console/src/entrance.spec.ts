import { expect, test } from '@jest/globals';
import { apiTokenOf, Entrance, sessionTokenOf } from './entrance.ts';
import { requirePermission } from './permissions.ts';

const of = (headers: Record<string, string>) => ({ headers });

test('API tokens and session tokens are read from their headers only', () => {
  expect(apiTokenOf(of({ authorization: 'Bearer cairn_pat_abc' }))).toBe('cairn_pat_abc');
  for (const authorization of ['Bearer other', 'Basic cairn_pat_abc', 'cairn_pat_abc', 'Bearer cairn_pat_a b', ''])
    expect(apiTokenOf(of({ authorization }))).toBeUndefined();
  expect(apiTokenOf(of({ authorization: `Bearer cairn_pat_${'x'.repeat(600)}` }))).toBeUndefined();
  expect(apiTokenOf(of({ cookie: 'cairn_session=cairn_pat_abc' }))).toBeUndefined();
  expect(sessionTokenOf(of({ cookie: 'a=b; cairn_session=token; c=d' }))).toBe('token');
  expect(sessionTokenOf(of({}))).toBeUndefined();
});

test('a token counts before a session, and a request without either is refused', async () => {
  const entrance = new Entrance(
    { session: async (token) => ({ session: token }) as never },
    { signIn: async (token) => ({ apiToken: token }) as never },
  );
  const both = { authorization: 'Bearer cairn_pat_abc', cookie: 'cairn_session=token' };
  expect(await entrance.enter(of(both))).toEqual({ apiToken: 'cairn_pat_abc' });
  expect(await entrance.enter(of({ cookie: both.cookie }))).toEqual({ session: 'token' });
  await expect(entrance.enter(of({}))).rejects.toMatchObject({ code: 'SESSION_INVALID' });
});

const refused = expect.objectContaining({ code: 'ROLE_NOT_ALLOWED' });
const token = (isReadOnly: boolean) => ({ id: 'a', name: 'ci', isReadOnly, createdAt: 0, expiresAt: 1 });

test('a view of an operator reads, and changes nothing but its own end', () => {
  const viewing = { member: { role: 'operator' }, viewEndsAt: 1 } as const;
  requirePermission(viewing, 'GET', '/api/files');
  requirePermission(viewing, 'DELETE', '/api/me/view');
  for (const [method, path] of [
    ['POST', '/api/keys'],
    ['POST', '/api/networks/:name/rpc'],
    ['POST', '/api/me/password'],
    ['DELETE', '/api/files/:cid'],
    ['POST', '/api/operator/accounts/:id'],
  ] as const)
    expect(() => requirePermission(viewing, method, path)).toThrow(refused);
});

test('API tokens have the rights of the member, never more, and manage no sign-in', () => {
  const developer = { role: 'developer' } as const;
  const full = { member: developer, apiToken: token(false) };
  const reading = { member: developer, apiToken: token(true) };
  requirePermission(full, 'POST', '/api/keys');
  requirePermission(reading, 'GET', '/api/keys');
  requirePermission(reading, 'POST', '/api/networks/:name/rpc');
  requirePermission(reading, 'GET', '/api/me');
  expect(() => requirePermission(full, 'POST', '/api/billing/attach')).toThrow(refused);
  expect(() => requirePermission(reading, 'POST', '/api/keys')).toThrow(refused);
  for (const path of ['/api/me/tokens', '/api/me/password', '/api/me/sessions'])
    for (const sender of [full, reading]) expect(() => requirePermission(sender, 'GET', path)).toThrow(refused);
  const billing = { member: { role: 'billing' }, apiToken: token(true) } as const;
  requirePermission(billing, 'GET', '/api/billing');
  expect(() => requirePermission(billing, 'GET', '/api/keys')).toThrow(refused);
  const operator = { member: { role: 'operator' }, apiToken: token(true) } as const;
  requirePermission(operator, 'GET', '/api/operator/usage');
  expect(() => requirePermission(operator, 'POST', '/api/operator/accounts/:id')).toThrow(refused);
  requirePermission({ ...operator, apiToken: token(false) }, 'POST', '/api/operator/accounts/:id');
});

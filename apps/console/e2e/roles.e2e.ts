import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Stage, setStage } from './console.ts';
import { Visitor } from './visitor.ts';

const password = 'four words in a row';
const actor = { who: 'test', from: 'here' };
const { paths } = JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, { security: object[] }>>;
};
/** Routes that need a session. Answers to HEAD have no body with an error, and `GET` stands for both. */
const routes = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations)
    .filter(([method, { security }]) => security.length > 0 && method !== 'head')
    .map(([method, _]) => ({ method: method.toUpperCase(), path: path.slice('/api/'.length) })),
);
let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
  await new Visitor(stage.console.url).signUp('roles', password);
});
afterAll(() => stage.stop());

async function signedInAs(role: 'developer' | 'billing' | 'read-only'): Promise<Visitor> {
  const email = `${role}@example.org`;
  await stage.members.add('roles', { email, password, role, actor });
  const visitor = new Visitor(stage.console.url);
  expect((await visitor.ask('POST', 'sign-in', { email, password })).status).toBe(200);
  return visitor;
}

/** Routes that answer a role with `ROLE_NOT_ALLOWED`. */
async function refusedTo(visitor: Visitor): Promise<string[]> {
  const refused: string[] = [];
  for (const { method, path } of routes) {
    // A wrong body changes nothing where the role is allowed.
    const body = method === 'GET' ? undefined : { planted: true };
    const { status, body: answer } = await visitor.ask(method, path.replace(/\{\w+\}/g, 'none'), body);
    const { code } = (answer.error ?? {}) as { code?: string };
    if (code === 'ROLE_NOT_ALLOWED') refused.push(`${method} ${path}`);
    expect([method, path, code === 'ROLE_NOT_ALLOWED' ? status : 403]).toEqual([method, path, 403]);
  }
  return refused;
}

test('a read-only member gets every page and is refused every change outside of the own profile', async () => {
  const refused = await refusedTo(await signedInAs('read-only'));
  const expected = routes
    .filter(
      ({ method, path }) => method !== 'GET' && !/^(me\/|operator\/)/.test(path) && path !== 'networks/{name}/rpc',
    )
    .map(({ method, path }) => `${method} ${path}`);
  expect(expected.length).toBeGreaterThan(20);
  expect(refused).toEqual(expected);
});

test('a developer creates a key and cannot invite, change billing or members', async () => {
  const developer = await signedInAs('developer');
  expect((await developer.ask('POST', 'keys', { name: 'mine' })).status).toBe(201);
  const invitation = { email: 'new@example.org', role: 'owner' };
  expect(await developer.ask('POST', 'invitations', invitation)).toMatchObject({
    status: 403,
    body: { error: { code: 'ROLE_NOT_ALLOWED', message: 'The role developer of this account does not allow this.' } },
  });
  const refused = await refusedTo(developer);
  expect(refused).toContain('PATCH members/{id}');
  expect(refused.filter((route) => !/ (members|invitations|billing)\b/.test(route))).toEqual([]);
});

test('a billing member reads usage and billing, and neither keys nor files', async () => {
  const billing = await signedInAs('billing');
  for (const path of ['me', 'usage', 'billing', 'members'])
    expect([path, (await billing.ask('GET', path)).status]).toEqual([path, 200]);
  const refused = await refusedTo(billing);
  for (const route of ['GET keys', 'GET files', 'POST keys', 'POST uploads', 'POST networks/{name}/rpc'])
    expect(refused).toContain(route);
  expect(refused).not.toContain('POST billing/attach');
});

test('an invitation without an SMTP server is refused with the setting that is missing', async () => {
  const owner = new Visitor(stage.console.url);
  await owner.ask('POST', 'sign-in', { email: 'roles@example.org', password });
  expect(await owner.ask('POST', 'invitations', { email: 'new@example.org', role: 'developer' })).toMatchObject({
    status: 404,
    body: { error: { code: 'MAIL_NOT_CONFIGURED', hint: expect.stringContaining('CAIRN_SMTP_URL') } },
  });
  expect(await owner.ask('POST', 'invitations', { email: 'new@example.org', role: 'operator' })).toMatchObject({
    status: 400,
    body: { error: { field: 'role' } },
  });
});

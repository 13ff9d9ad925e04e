import { parsePlan } from '@cairn/metering';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Stage, setStage } from './console.ts';
import { type StripeApi, startStripeApi } from './stripe-api.ts';
import { Visitor } from './visitor.ts';

const password = 'four words in a row';
const stripeKey = 'sk_test_canary0123456789';
const webhookSecret = 'whsec_canary0123456789';
let stage: Stage;
let stripe: StripeApi;
const canaries = [password, stripeKey, webhookSecret];

beforeAll(async () => {
  stripe = await startStripeApi();
  stage = await setStage({
    CAIRN_STRIPE_SECRET_KEY: stripeKey,
    CAIRN_STRIPE_WEBHOOK_SECRET: webhookSecret,
    CAIRN_STRIPE_API_URL: stripe.url,
  });
});
afterAll(async () => {
  await stage.stop();
  await stripe.stop();
});

/** Signs up a visitor whose cookie must not be logged. */
async function signUp(accountName: string): Promise<Visitor> {
  const visitor = new Visitor(stage.console.url);
  await visitor.signUp(accountName, password);
  canaries.push(visitor.cookie.split('=')[1] ?? '');
  return visitor;
}

describe('sessions', () => {
  test('the session cookie is HttpOnly and SameSite, and is required', async () => {
    const visitor = new Visitor(stage.console.url);
    const made = await visitor.ask('POST', 'sign-up', { email: 'a@example.org', password, accountName: 'a' });
    expect(made.headers.get('set-cookie')).toMatch(/^cairn_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    expect((await visitor.ask('GET', 'me')).body).toMatchObject({ member: { email: 'a@example.org', role: 'owner' } });
    for (const path of ['me', 'usage', 'keys', 'files', 'networks', 'billing', 'operator/accounts'])
      expect(await new Visitor(stage.console.url).ask('GET', path)).toMatchObject({
        status: 401,
        body: { error: { code: 'SESSION_INVALID' } },
      });
    await visitor.ask('POST', 'sign-out');
    expect((await visitor.ask('GET', 'me')).status).toBe(401);
  });

  test('a change without the header of the console is refused', async () => {
    const visitor = await signUp('forged');
    const refused = { status: 403, body: { error: { code: 'REQUEST_FORGED' } } };
    expect(await visitor.ask('POST', 'keys', { name: 'x' }, {})).toMatchObject(refused);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await visitor.ask('POST', 'sign-out', 'a=b', form)).toMatchObject(refused);
    expect((await visitor.ask('GET', 'keys')).body).toEqual([]);
  });

  test.each([
    ['sign-up', { email: 'nobody', password, accountName: 'n' }, 400, 'email'],
    ['sign-up', { email: 'n@example.org', password: 'short', accountName: 'n' }, 400, 'password'],
    ['sign-up', { email: 'n@example.org', password, accountName: '' }, 400, 'name'],
    ['sign-up', { email: 5, password, accountName: 'n' }, 400, 'email'],
    ['sign-up', {}, 400, 'email'],
    ['sign-in', { email: 'n@example.org', password: 'wrong' }, 401, undefined],
    ['sign-in', '{', 400, undefined],
    ['sign-in', 'null', 400, 'email'],
    ['password-reset', { email: 'n@example.org' }, 404, undefined],
    ['password-reset/confirm', { token: 'invented', password }, 403, undefined],
    ['email-verification', { token: 'invented' }, 403, undefined],
    ['email-verification', {}, 400, 'token'],
    ['no-such', {}, 404, undefined],
  ])('POST %s with %j is answered %d', async (path, body, status, field) => {
    const answer = await new Visitor(stage.console.url).ask('POST', path, body);
    expect(answer.status).toBe(status);
    expect(answer.body.error).toMatchObject({ code: expect.any(String), message: expect.any(String) });
    expect((answer.body.error as { field?: string }).field).toBe(field);
    expect(JSON.stringify(answer.body)).not.toMatch(/at .*\.js|node_modules/);
  });

  test('a body that is too long is refused before it is read to its end', async () => {
    const answer = await new Visitor(stage.console.url).ask('POST', 'sign-in', `{"email":"${'x'.repeat(2_000_000)}"}`);
    expect(answer).toMatchObject({ status: 413, body: { error: { message: 'The body is too long.' } } });
  });
});

describe('separation of accounts', () => {
  test('a key of another account is not found', async () => {
    const [one, other] = [await signUp('one'), await signUp('other')];
    const { body } = await one.ask('POST', 'keys', { name: 'mine', policy: { methods: ['eth_*'] } });
    const { key, secret } = body as { key: { id: string }; secret: string };
    canaries.push(key.id, secret);
    expect(body).toMatchObject({ key: { name: 'mine', policy: { methods: ['eth_*'] } } });
    expect(JSON.stringify((await one.ask('GET', 'keys')).body)).not.toMatch(/salt|hash|cs_/);
    for (const [method, path] of [
      ['POST', `keys/${key.id}/revoke`],
      ['POST', `keys/${key.id}/rotate`],
      ['PATCH', `keys/${key.id}`],
    ] as const)
      expect(await other.ask(method, path, {})).toMatchObject({
        status: 404,
        body: { error: { code: 'KEY_NOT_FOUND' } },
      });
    expect((await other.ask('GET', 'keys')).body).toEqual([]);
    expect((await one.ask('POST', `keys/${key.id}/revoke`)).body).toMatchObject({ revokedAt: expect.any(Number) });
    const sending = await one.ask('POST', 'keys', { name: 'wallet', policy: { grants: ['send'] } });
    expect(sending.body).toMatchObject({ key: { policy: { grants: ['send'] } } });
    canaries.push((sending.body as { key: { id: string }; secret: string }).key.id);
    const walletId = canaries.at(-1) ?? '';
    for (const [method, path] of [
      ['POST', 'keys'],
      ['PATCH', `keys/${walletId}`],
    ] as const)
      expect(await one.ask(method, path, { name: 'node', policy: { grants: ['send', 'node'] } })).toMatchObject({
        status: 403,
        body: { error: { code: 'NOT_AN_OPERATOR' } },
      });
    const wrong = await one.ask('POST', 'keys', { name: 'bad', policy: { grants: ['sign'] } });
    expect(wrong).toMatchObject({ status: 400, body: { error: { field: 'policy.grants.0' } } });
    expect(await one.ask('POST', 'keys', { name: 'bad', expiresInDays: 30 })).toMatchObject({
      status: 400,
      body: { error: { field: 'expiresInDays' } },
    });
    const bad = await one.ask('POST', 'keys', { name: 'bad', policy: { storage: ['delete'] } });
    expect(bad).toMatchObject({ status: 400, body: { error: { field: 'policy.storage.0' } } });
  });

  test('operator routes refuse other members', async () => {
    const visitor = await signUp('curious');
    for (const path of ['accounts', 'plans', 'members', 'health', 'audit'])
      expect((await visitor.ask('GET', `operator/${path}`)).status).toBe(403);
    const id = (await stage.auth.account('curious')).id;
    expect((await visitor.ask('POST', `operator/accounts/${id}`, { plan: 'team' })).status).toBe(403);
    expect((await visitor.ask('PUT', 'operator/plans/free', { creditsPerDay: 5 })).status).toBe(403);
    expect((await stage.auth.account('curious')).plan).toBe('free');
  });

  test('changes of operators are validated and take effect', async () => {
    await signUp('customer');
    await stage.auth.createAccount({ name: 'house' });
    const actor = { who: 'test', from: 'here' };
    await stage.members.add('house', { email: 'op@example.org', password, role: 'operator', actor });
    const operator = new Visitor(stage.console.url);
    await operator.ask('POST', 'sign-in', { email: 'op@example.org', password });
    const { id } = await stage.auth.account('customer');
    const changed = { plan: 'team', quotaBytes: 1000, card: { brand: 'visa', last4: '4242' } };
    expect(await operator.ask('POST', `operator/accounts/${id}`, changed)).toMatchObject({
      status: 200,
      body: { plan: 'team' },
    });
    expect(await stage.auth.account('customer')).toMatchObject({
      plan: 'team',
      quotaBytes: 1000,
      card: { last4: '4242' },
    });
    expect(await operator.ask('POST', `operator/accounts/${id}`, { plan: 'none' })).toMatchObject({ status: 400 });
    // One invalid field leaves all other fields unchanged.
    const half = { plan: 'free', quotaBytes: 5, card: { brand: 'visa', last4: '42' } };
    expect(await operator.ask('POST', `operator/accounts/${id}`, half)).toMatchObject({ status: 400 });
    expect(await stage.auth.account('customer')).toMatchObject({ plan: 'team', quotaBytes: 1000 });
    // Unchanged fields create no audit entry.
    const entries = async () => {
      const { body } = await operator.ask('GET', `operator/audit?account=${id}`);
      return (body as unknown as readonly unknown[]).length;
    };
    const before = await entries();
    expect(await operator.ask('POST', `operator/accounts/${id}`, { ...changed, status: 'active' })).toMatchObject({
      status: 200,
    });
    expect(await entries()).toBe(before);
    expect(await operator.ask('POST', `operator/accounts/${id}`, { colour: 1 })).toMatchObject({ status: 400 });
    expect(await operator.ask('PUT', 'operator/plans/mine', { title: 'Mine', burst: -1 })).toMatchObject({
      status: 400,
    });
    expect((await operator.ask('PUT', 'operator/plans/mine', { title: 'Mine', burst: 7 })).status).toBe(200);
    expect(await stage.plans.plans()).toContainEqual({ name: 'mine', title: 'Mine', burst: 7 });
    expect(await operator.ask('DELETE', 'operator/plans/free')).toMatchObject({
      status: 409,
      body: { error: { code: 'PLAN_REQUIRED' } },
    });
    const { body } = await operator.ask('GET', 'operator/audit');
    expect(body).toContainEqual(
      expect.objectContaining({ action: 'account.plan', actor: { who: 'op@example.org', from: expect.any(String) } }),
    );
    const health = (await operator.ask('GET', 'operator/health')).body as object;
    expect(health).toMatchObject({ storage: { isReady: true }, gateway: { isReady: true } });
    expect(health).toMatchObject({ ipfsGateway: { isReady: false, text: 'not reachable' } });
    expect(health).not.toHaveProperty('ipfsPeer');
  });
});

describe('files and networks', () => {
  test('requests reach the services under the limits of the account', async () => {
    const visitor = await signUp('reader');
    expect(
      await visitor.ask('POST', 'networks/sample/rpc', { jsonrpc: '2.0', id: 1, method: 'eth_chainId' }),
    ).toMatchObject({
      status: 200,
      body: { result: '0x2e3d1f0' },
    });
    expect((await visitor.ask('POST', 'networks/none/rpc', {})).status).toBe(404);
    expect(await visitor.ask('GET', 'files/QmNothing')).toMatchObject({ body: { error: { code: 'CARD_REQUIRED' } } });
    await stage.plans.put(parsePlan({ name: 'none-left', creditsPerDay: 0 }));
    await stage.auth.setPlan('reader', 'none-left');
    const ask = () => visitor.ask('POST', 'networks/sample/rpc', { jsonrpc: '2.0', id: 1, method: 'eth_chainId' });
    // Services read plans four times a second, later on a busy machine.
    for (let tries = 0; (await ask()).status !== 429 && tries < 100; tries++)
      await new Promise((resolve) => setTimeout(resolve, 100));
    const refused = await ask();
    expect(refused).toMatchObject({ status: 429, body: { error: { code: -32005 } } });
  });

  test('page reads cost the customer no credits', async () => {
    const visitor = await signUp('looker');
    await stage.auth.attachCard('looker', { brand: 'visa', last4: '4242' });
    await stage.plans.put(
      parsePlan({ name: 'no-place', creditsPerDay: 0, requestsPerSecond: 0, concurrentRequests: 0 }),
    );
    await stage.auth.setPlan('looker', 'no-place');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    for (let looks = 0; looks < 3; looks++) {
      for (const path of ['me', 'usage', 'keys', 'files', 'billing'])
        expect((await visitor.ask('GET', path)).status).toBe(200);
      expect((await visitor.ask('GET', 'networks')).body).toMatchObject([{ name: 'sample', head: { number: 24 } }]);
    }
    // Each service writes its usage of all accounts together, so that later requests of another account show that it is written.
    const control = await signUp('control');
    await stage.auth.attachCard('control', { brand: 'visa', last4: '4242' });
    const { key, secret } = await stage.auth.createKey('control');
    const authorization = `Basic ${Buffer.from(`${key.id}:${secret}`).toString('base64')}`;
    await fetch(`${stage.storage.url}/api/v0/pin/ls`, { method: 'POST', headers: { authorization } });
    await control.ask('POST', 'networks/sample/rpc', { jsonrpc: '2.0', id: 1, method: 'eth_chainId' });
    const paid = async () => {
      const { body } = await control.ask('GET', 'usage?span=hour');
      return (body as { readonly total: { readonly requests: number } }).total.requests;
    };
    for (let tries = 0; (await paid()) < 2 && tries < 200; tries++)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await paid()).toBe(2);
    expect((await visitor.ask('GET', 'usage?span=hour')).body).toMatchObject({
      total: { requests: 0, credits: 0 },
      today: { requests: 0, credits: 0, limited: 0 },
    });
  });

  test('stored content never runs as a page of the console', async () => {
    const visitor = await signUp('writer');
    await stage.auth.attachCard('writer', { brand: 'visa', last4: '4242' });
    const form = new FormData();
    form.set('file', new Blob(['<script>alert(1)</script>']), 'page.html');
    const added = await fetch(`${stage.console.url}/api/files?name=page.html`, {
      method: 'POST',
      headers: { cookie: visitor.cookie, 'x-cairn-console': '1' },
      body: form,
    });
    const { cid } = (await added.json()) as { cid: string };
    const { headers, body } = await visitor.ask('GET', `files/${cid}?name=page.html`);
    expect(body.text).toBe('<script>alert(1)</script>');
    expect(headers.get('content-type')).toBe('application/octet-stream');
    expect(headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''page.html");
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'self'; sandbox");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });
});

describe('billing', () => {
  test('Stripe attaches a card: checkout page, then signed webhook', async () => {
    const { default: Stripe } = await import('stripe');
    const visitor = await signUp('payer');
    expect(await visitor.ask('POST', 'billing/attach')).toMatchObject({
      status: 200,
      body: { kind: 'redirect', url: 'https://checkout.example/cs_1' },
    });
    const intent = { id: 'seti_1', object: 'setup_intent', customer: 'cus_1', payment_method: 'pm_1' };
    const payload = JSON.stringify({
      id: 'evt_1',
      object: 'event',
      type: 'setup_intent.succeeded',
      created: Math.floor(Date.now() / 1000),
      data: { object: intent },
    });
    const sdk = new Stripe(stripeKey);
    const signature = sdk.webhooks.generateTestHeaderString({ payload, secret: webhookSecret });
    const tell = (header: string) =>
      new Visitor(stage.console.url).ask('POST', 'billing/webhook', payload, { 'stripe-signature': header });
    expect(await tell('t=1,v1=00')).toMatchObject({ status: 400, body: { error: { code: 'WEBHOOK_INVALID' } } });
    expect((await stage.auth.account('payer')).card).toBeUndefined();
    expect((await tell(signature)).status).toBe(200);
    expect((await tell(signature)).status).toBe(200);
    expect((await visitor.ask('GET', 'billing')).body).toMatchObject({ provider: 'stripe', card: { last4: '4242' } });
  });

  test('statements are available as JSON and CSV', async () => {
    const visitor = await signUp('stated');
    const month = new Date().toISOString().slice(0, 7);
    expect((await visitor.ask('GET', `billing/statements/${month}`)).body).toMatchObject({ month, lines: [] });
    const csv = await visitor.ask('GET', `billing/statements/${month}?format=csv`);
    expect(csv.body.text).toMatch(/^account,month,service,.*\r\nstated,.*total/);
    expect((await visitor.ask('GET', 'billing/statements/2026-13')).status).toBe(400);
  });
});

describe('pages', () => {
  test('every path returns the page, asset paths return assets, and none leaves the directory', async () => {
    const get = (path: string, headers = {}) => fetch(`${stage.console.url}${path}`, { headers });
    const page = await (await get('/keys')).text();
    const [script] = /\/assets\/[\w-]+\.js/.exec(page) ?? [''];
    const asset = await get(script, { 'accept-encoding': 'br' });
    expect(asset.headers.get('content-encoding')).toBe('br');
    expect(asset.headers.get('cache-control')).toContain('immutable');
    const nonce = /name="csp-nonce" content="([^"]+)"/.exec(page)?.[1] ?? '';
    const again = await get('/');
    expect(await again.text()).not.toContain(nonce);
    expect(again.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[\w+/=]+';/,
    );
    for (const path of ['/assets/..%2f..%2fmain.js', '/assets/none.js', '/assets/%00'])
      expect((await get(path)).status).toBe(404);
  });
});

test('an account has at most 100 keys, and an address creates 20 accounts before it waits', async () => {
  const visitor = await signUp('greedy');
  for (let n = 0; n < 100; n++) expect((await visitor.ask('POST', 'keys', { name: `key ${n}` })).status).toBe(201);
  expect(await visitor.ask('POST', 'keys', { name: 'one more' })).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining('100 keys') } },
  });
  let answer = await visitor.ask('GET', 'me');
  for (let n = 0; n < 25 && answer.status !== 429; n++)
    answer = await new Visitor(stage.console.url).ask('POST', 'sign-up', {
      email: `many${n}@example.org`,
      password,
      accountName: `many ${n}`,
    });
  expect(answer.status).toBe(429);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(60);
});

test('logs contain no secret', async () => {
  const visitor = new Visitor(stage.console.url);
  await visitor.ask('POST', 'sign-in', { email: 'logged@example.org', password: 'canary of a wrong password' });
  canaries.push('canary of a wrong password');
  for (const service of [stage.console, stage.gateway, stage.storage]) {
    for (const canary of canaries) expect(service.text()).not.toContain(canary);
    expect(service.text()).not.toContain('~c.');
  }
});

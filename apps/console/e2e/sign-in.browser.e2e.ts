import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { CDPSession, Page } from 'playwright-core';
import { describeInBrowser, password, type } from './browser.ts';
import { startIdentityProvider } from './identity-provider.ts';

const provider = await startIdentityProvider();
afterAll(() => provider.stop());

describeInBrowser(
  'sign-in with an OpenID provider in a browser',
  (visit) => {
    let page: Page;
    beforeAll(async () => {
      provider.trust(`${visit.stage.console.url}/api/oidc/callback`);
      page = visit.page;
      // The page of the provider asks for a font of another site.
      await visit.context.route(/googleapis/, (route) => route.abort());
    });
    const continueAs = async (name: string) => {
      // A new session at the provider asks for the name again.
      await visit.context.clearCookies();
      await page.goto(visit.stage.console.url);
      await page.getByRole('link', { name: 'Continue with Example ID' }).click();
      await page.locator('input[name=login]').fill(name);
      await page.locator('input[name=password]').fill('any');
      await page.getByRole('button', { name: 'Sign-in' }).click();
      await page.getByRole('button', { name: 'Continue' }).click();
    };

    test('a visitor gets an account without a password', async () => {
      await continueAs('olivia');
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      expect(new URL(page.url()).pathname).toBe('/');
      const member = await visit.stage.members.byEmail('olivia@example.org');
      expect(member).toMatchObject({ role: 'owner', passwordHash: '' });
      expect(member.emailVerifiedAt).toBeDefined();
      await visit.go('Security');
      await page.getByText('Verified', { exact: true }).waitFor();
      // The session cookie works after a reload; the one of the attempt is gone.
      await page.reload();
      await page.getByRole('heading', { name: 'Security' }).waitFor();
      const cookies = (await visit.context.cookies(visit.stage.console.url)).map(({ name }) => name);
      expect(cookies).toContain('cairn_session');
      expect(cookies).not.toContain('cairn_sign_in');
    });

    test('a second sign-in finds the same account', async () => {
      await continueAs('olivia');
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      let accounts = 0;
      for await (const _ of visit.stage.auth.accounts()) accounts++;
      expect(accounts).toBe(1);
    });

    test('an address that is verified neither there nor here is refused in words', async () => {
      provider.unverified.add('ursula');
      await continueAs('ursula');
      await page.getByText('The provider has not verified your e-mail address.').waitFor();
      expect(await visit.faults()).toEqual([]);
      const actor = { who: 'test', from: 'here' };
      await visit.stage.auth.createAccount({ name: 'paul' });
      await visit.stage.members.add('paul', { email: 'paul@example.org', password, actor });
      await continueAs('paul');
      await page.getByText('the address was never verified here').waitFor();
    });

    test('a person who cancels at the provider, and a forged return, stay signed out', async () => {
      await visit.context.clearCookies();
      await page.goto(visit.stage.console.url);
      await page.getByRole('link', { name: 'Continue with Example ID' }).click();
      await page.getByRole('link', { name: /cancel/i }).click();
      await page.getByText('The sign-in with the provider was refused or has expired.').waitFor();
      for (const query of ['', '?code=planted', '?code=planted&state=planted']) {
        await page.goto(`${visit.stage.console.url}/api/oidc/callback${query}`);
        await page.getByText('The sign-in with the provider was refused or has expired.').waitFor();
      }
      await page.goto(`${visit.stage.console.url}/sign-in?refused=%3Cb%3Eplanted`);
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(await page.getByText('planted').count()).toBe(0);
    });
  },
  {
    CAIRN_OIDC_ISSUER: provider.issuer,
    CAIRN_OIDC_CLIENT_ID: provider.clientId,
    CAIRN_OIDC_CLIENT_SECRET: provider.clientSecret,
    CAIRN_OIDC_NAME: 'Example ID',
  },
);

describeInBrowser('passkeys in a browser', (visit) => {
  let device: CDPSession;
  let authenticatorId: string;
  let url: string;
  beforeAll(async () => {
    // Browsers accept no IP address as the site of a passkey.
    url = visit.stage.console.url.replace('127.0.0.1', 'localhost');
    device = await visit.context.newCDPSession(visit.page);
    await device.send('WebAuthn.enable');
    const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true } as const;
    const verifies = { hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true };
    ({ authenticatorId } = await device.send('WebAuthn.addVirtualAuthenticator', {
      options: { ...options, ...verifies },
    }));
  });
  const signOut = async () => {
    await visit.page.getByRole('button', { name: 'Account' }).click();
    await visit.page.getByRole('menuitem', { name: 'Sign out' }).click();
    await visit.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  };

  test('a member adds a passkey and signs in with it', async () => {
    const { page } = visit;
    await page.goto(`${url}/sign-up`);
    await type(page.getByLabel('Account name'), 'pia');
    await type(page.getByLabel('E-mail'), 'pia@example.org');
    await type(page.locator('input[type=password]'), password);
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await visit.go('Security');
    const card = page.getByRole('region', { name: 'Passkeys' });
    await card.getByRole('button', { name: 'Add a passkey' }).click();
    await type(page.getByRole('dialog').getByLabel('Name'), 'Pia’s laptop');
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
    await card.getByText('Pia’s laptop').waitFor();
    await card.getByText('never used').waitFor();
    expect(await visit.faults()).toEqual([]);
    await signOut();
    expect(await visit.faults()).toEqual([]);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const [passkey] = (await visit.stage.members.byEmail('pia@example.org')).passkeys ?? [];
    expect(passkey).toMatchObject({ name: 'Pia’s laptop', usedAt: expect.any(Number) });
  });

  test('the same device adds no second passkey', async () => {
    const { page } = visit;
    await visit.go('Security');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
    await page.getByText('This device already has a passkey for this account.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  });

  test('a removed passkey, and one whose person is not verified, do not sign in', async () => {
    const { page } = visit;
    await device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await signOut();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('The browser did not use a passkey').waitFor({ timeout: 60_000 });
    await device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
    const member = await visit.stage.members.byEmail('pia@example.org');
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await visit.go('Security');
    await page.getByRole('button', { name: 'Remove the passkey Pia’s laptop' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove the passkey' }).click();
    await page.getByText('Passkey removed.').waitFor();
    await signOut();
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText('The passkey is not valid here').waitFor();
    expect(member.passkeys).toHaveLength(1);
    expect((await visit.stage.members.byEmail('pia@example.org')).passkeys).toEqual([]);
  });

  test('a recorded answer signs in once', async () => {
    const { page } = visit;
    await type(page.getByLabel('E-mail'), 'pia@example.org');
    await type(page.locator('input[type=password]'), password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('link', { name: 'Security' }).click();
    await device.send('WebAuthn.clearCredentials', { authenticatorId });
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
    await page.getByText('Passkey added.').waitFor();
    await signOut();
    const sent = page.waitForRequest((request) => request.url().endsWith('/api/passkeys/sign-in'));
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const again = await fetch(`${url}/api/passkeys/sign-in`, {
      method: 'POST',
      headers: { 'x-cairn-console': '1', 'content-type': 'application/json' },
      body: (await sent).postData() ?? '',
    });
    expect([again.status, ((await again.json()) as { error: { code: string } }).error.code]).toEqual([
      403,
      'PASSKEY_REFUSED',
    ]);
    expect(again.headers.getSetCookie()).toEqual([]);
  });
});

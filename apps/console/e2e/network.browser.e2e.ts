import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Auth, openLmdbAccountStore, openSecrets } from '@cairn/auth';
import { openPeerClient, peerAudience } from '@cairn/peer-api';
import type { RunningService } from '@cairn/service-kit/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeInBrowser, password, type } from './browser.ts';
import { startPeer } from './console.ts';

describeInBrowser(
  'the IPFS network for operators',
  (visit) => {
    let home: string;
    let other: RunningService;
    let address: string;
    let id: string;

    beforeAll(async () => {
      home = mkdtempSync(join(tmpdir(), 'cairn-other-'));
      other = await startPeer(home);
      const store = await openLmdbAccountStore({ directory: join(home, 'accounts') });
      const { secrets } = await openSecrets(store, { home, key: undefined, keyFile: undefined });
      const auth = new Auth({ store, secrets });
      const client = openPeerClient({ url: other.url, token: () => auth.serviceToken(peerAudience) });
      const node = await client.describe();
      id = node.id;
      address = node.addresses[0] ?? '';
      await client.close();
      await auth.close();
      await visit.stage.auth.createAccount({ name: 'house', plan: 'local' });
      const actor = { who: 'test', from: 'here' };
      await visit.stage.members.add('house', { email: 'op@example.org', password, role: 'operator', actor });
    });
    afterAll(async () => {
      await other.stop();
      rmSync(home, { recursive: true, force: true });
    });

    test('an operator connects to a node, sees its traffic and disconnects it', async () => {
      const { page, stage } = visit;
      await page.goto(stage.console.url);
      await type(page.getByLabel('E-mail'), 'op@example.org', 1);
      await type(page.locator('input[type=password]'), password, 1);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('link', { name: 'Operator' }).click();
      await page.getByRole('tab', { name: 'IPFS network' }).click();
      await page.getByText('No peers', { exact: true }).waitFor();
      await type(page.getByLabel('Connect to a node'), 'nonsense', 1);
      await page.getByRole('button', { name: 'Connect', exact: true }).click();
      await page.getByText('expected a multiaddress', { exact: false }).waitFor();
      await type(page.getByLabel('Connect to a node'), address, 1);
      await page.getByRole('button', { name: 'Connect', exact: true }).click();
      await page.getByRole('cell', { name: /cairn/ }).first().waitFor();
      expect(await page.getByTitle(id, { exact: true }).count()).toBe(1);
      await page.getByRole('region', { name: 'Traffic' }).waitFor();
      expect(await visit.faults()).toEqual([]);
      await visit.picture('ipfs-network');
      await page.setViewportSize({ width: 390, height: 844 });
      await page.waitForFunction(() => document.documentElement.scrollWidth <= 390);
      await page.setViewportSize({ width: 1280, height: 860 });
      await page.getByRole('button', { name: /^Disconnect/ }).click();
      await page.getByText('No peers', { exact: true }).waitFor();
    });
  },
  {},
  {},
  { hasPeer: true },
);

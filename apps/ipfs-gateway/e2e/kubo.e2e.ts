import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLmdbBlockstore } from '@cairn/blockstore';
import { type RunningService, startService } from '@cairn/service-kit/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { howToEnable, peerBinary } from '../../../tools/peers/binaries.mjs';
import { freePort } from '../../../tools/peers/free-port.mjs';
import { startKubo } from '../../../tools/peers/kubo.mjs';
import { answerOf, closeConnections } from './kubo/answer.ts';
import { differencesOf } from './kubo/exceptions.ts';
import { carOf, type Fixtures, writeFixtures } from './kubo/fixtures.ts';
import type { GatewayCase } from './kubo/gateway-case.ts';
import { pathsOf, requestsOf } from './kubo/requests.ts';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const areas = [
  ...[
    'content types',
    'names',
    'formats',
    'ranges',
    'conditions',
    'CAR',
    'paths of documents',
    'sites',
    'hosts',
    'others',
  ],
];

if (peerBinary('kubo') === undefined) {
  // Prints the reason, since Jest does not show the names of skipped tests.
  process.stderr.write(`${howToEnable('kubo')}\n`);
  test.skip(howToEnable('kubo'), () => {});
} else describe('the gateway answers as a real Kubo does', compareAll);

function compareAll(): void {
  const home = mkdtempSync(join(tmpdir(), 'cairn-gateway-kubo-'));
  let service: RunningService;
  let kubo: Awaited<ReturnType<typeof startKubo>>;
  let kuboGateway = '';
  let cids: Fixtures;
  const roots = new Map<string, string>();

  beforeAll(async () => {
    const blocks = await openLmdbBlockstore({ directory: join(home, 'blocks') });
    cids = await writeFixtures(blocks);
    const car = await carOf(blocks);
    await blocks.sync();
    await blocks.close();
    const sites = ['forced', 'bad-code', 'no-slash', 'only-from', 'star', 'crlf', 'large', 'legacy', 'site'];
    const IPFS_NS_MAP = sites.map((name) => `${name}.example.org:/ipfs/${cids.tree}/${name}`).join(',');
    service = await startService({
      main,
      home,
      env: {
        IPFS_GATEWAY_ACCESS: 'public',
        IPFS_GATEWAY_HOSTS: 'localhost,example.com',
        IPFS_GATEWAY_TRUSTED_PROXIES: '127.0.0.1',
        IPFS_NS_MAP,
      },
    });
    const port = await freePort();
    kuboGateway = `http://127.0.0.1:${port}`;
    kubo = await startKubo({ env: { IPFS_NS_MAP }, config: (config) => configure(config, port) });
    if (kubo === undefined) throw new Error(howToEnable('kubo'));
    const form = new FormData();
    form.append('file', new Blob([Buffer.from(car)]));
    const imported = await fetch(`${kubo.url}/api/v0/dag/import?pin-roots=false`, { method: 'POST', body: form });
    if (!imported.ok) throw new Error(await imported.text());
    await imported.text();
    for (const path of pathsOf(cids)) {
      const last = (await answerOf(service.url, { path: `${path}?format=raw` }))['x-ipfs-roots']?.split(',').at(-1);
      if (last !== undefined) roots.set(path, last);
    }
  });
  afterAll(async () => {
    closeConnections();
    await service?.stop();
    await kubo?.stop();
    rmSync(home, { recursive: true });
  });

  test.each(areas)(
    '%s',
    async (area) => {
      const all = requestsOf(cids, roots).get(area) ?? [];
      const differences: string[] = [];
      for (const asked of all) {
        const [ours, theirs] = await Promise.all([answerOf(service.url, asked), answerOf(kuboGateway, asked)]);
        const difference = differencesOf(asked, ours, theirs);
        if (difference.length > 0) differences.push(`${line(asked)}\n    ${difference.join('\n    ')}`);
      }
      expect(differences.join('\n')).toBe('');
    },
    300_000,
  );
}

function configure(config: Record<string, unknown>, port: number): void {
  Object.assign(config.Addresses as object, { Gateway: [`/ip4/127.0.0.1/tcp/${port}`] });
  const subdomains = { UseSubdomains: true, InlineDNSLink: true, Paths: ['/ipfs', '/ipns'] };
  config.Gateway = {
    ...(config.Gateway as object),
    NoFetch: true,
    PublicGateways: { 'example.com': subdomains, localhost: subdomains },
  };
}

function line({ method = 'GET', path, host, headers }: GatewayCase): string {
  return `${method} ${path}${host ? ` host ${host}` : ''}${headers ? ` ${JSON.stringify(headers)}` : ''}`;
}

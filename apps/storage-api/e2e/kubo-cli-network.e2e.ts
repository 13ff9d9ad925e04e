import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { create } from 'kubo-rpc-client';
import { howToEnable, peerBinary } from '../../../tools/peers/binaries.mjs';
import { CliSide } from './kubo-cli/cli-side.ts';
import { compareStep } from './kubo-cli/compare-step.ts';
import { networkScript } from './kubo-cli/network-script.ts';
import { inTableOf, type Kubo, Network, startKuboPeer } from './network/network.ts';
import { noise } from './service.ts';

/** Adds a file to a Kubo and provides it, once it has a connection. */
async function provideFile(kubo: Kubo, to: Kubo): Promise<string> {
  const api = create({ url: `${kubo.url}/api/v0` });
  await api.swarm.connect(to.address as never);
  await inTableOf(kubo, to.id);
  const { cid } = await api.add(noise(1000, 21), { cidVersion: 1, rawLeaves: true });
  for await (const _ of api.routing.provide(cid));
  await api.swarm.disconnect(to.address as never);
  return cid.toString();
}

if (peerBinary('kubo') === undefined) {
  // Prints the reason, since Jest does not show the names of skipped tests.
  process.stderr.write(`${howToEnable('kubo')}\n`);
  test.skip(howToEnable('kubo'), () => {});
} else
  test('the ipfs CLI prints the same about a third node against the service with its peer and Kubo', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'cairn-cli-network-'));
    const fixtures = join(directory, 'fixtures');
    mkdirSync(fixtures);
    const network = new Network();
    const kubos: Kubo[] = [];
    try {
      await network.start();
      const [kubo, third] = [await startKuboPeer(), await startKuboPeer()];
      kubos.push(kubo, third);
      const { address, id } = third;
      const values = { address, id, cid: await provideFile(third, kubo) };
      const { binary } = kubo;
      const api = `/ip4/127.0.0.1/tcp/${new URL(network.service.url).port}`;
      const auth = 'bob:secret-of-bob';
      const cairn = new CliSide({ binary, api, auth, fixtures, values, out: join(directory, 'cairn') });
      const peer = new CliSide({ binary, api: kubo.multiaddr, fixtures, values, out: join(directory, 'kubo') });
      const differences: string[] = [];
      for (const step of networkScript.steps) {
        const difference = await compareStep(typeof step === 'string' ? { line: step } : step, cairn, peer);
        if (difference !== undefined) differences.push(difference);
      }
      expect(differences.join('\n')).toBe('');
    } finally {
      for (const each of kubos) await each.stop();
      await network.remove();
      rmSync(directory, { recursive: true });
    }
  }, 600_000);

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { howToEnable, peerBinary } from '../../../tools/peers/binaries.mjs';
import { startKubo } from '../../../tools/peers/kubo.mjs';
import { addScript } from './kubo-cli/add-script.ts';
import { CliSide } from './kubo-cli/cli-side.ts';
import type { CliScript } from './kubo-cli/cli-step.ts';
import { compareStep } from './kubo-cli/compare-step.ts';
import { dagScript } from './kubo-cli/dag-script.ts';
import { filesScript } from './kubo-cli/files-script.ts';
import { writeFixtures } from './kubo-cli/fixtures.ts';
import { nodeScript } from './kubo-cli/node-script.ts';
import { pinScript } from './kubo-cli/pin-script.ts';
import { readScript } from './kubo-cli/read-script.ts';
import { Service } from './service.ts';

const scripts = [addScript, readScript, dagScript, pinScript, filesScript, nodeScript];
const scriptTimeoutMs = 600_000;

if (peerBinary('kubo') === undefined) {
  // Prints the reason, since Jest does not show the names of skipped tests.
  process.stderr.write(`${howToEnable('kubo')}\n`);
  test.skip(howToEnable('kubo'), () => {});
} else describe('the ipfs CLI prints the same against the service and Kubo', compareAll);

function compareAll(): void {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-cli-'));
  const fixtures = join(directory, 'fixtures');
  beforeAll(() => {
    mkdirSync(fixtures);
    writeFixtures(fixtures);
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  test.each(scripts)(
    'commands about $name',
    async ({ name, steps }: CliScript) => {
      const service = new Service();
      const kubo = await startKubo({ isOffline: false });
      if (kubo === undefined) throw new Error(howToEnable('kubo'));
      try {
        await service.makeAccounts();
        await service.start();
        const { binary } = kubo;
        const out = join(directory, name);
        const api = `/ip4/127.0.0.1/tcp/${new URL(service.url).port}`;
        const auth = 'ann:secret-of-ann';
        const cairn = new CliSide({ binary, api, auth, fixtures, out: join(out, 'cairn') });
        const peer = new CliSide({ binary, api: kubo.multiaddr, fixtures, out: join(out, 'kubo') });
        const differences: string[] = [];
        for (const step of steps) {
          const difference = await compareStep(typeof step === 'string' ? { line: step } : step, cairn, peer);
          if (difference !== undefined) differences.push(difference);
        }
        expect(differences.join('\n')).toBe('');
      } finally {
        await kubo.stop();
        await service.remove();
      }
    },
    scriptTimeoutMs,
  );
}

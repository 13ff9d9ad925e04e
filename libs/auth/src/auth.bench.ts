// Cost of authentication per request, with the store on disk. Run with `npm run bench`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { Auth, openLmdbAccountStore } from './index.ts';

const roundMs = 400;
const rounds = 5;

/** Prints operations per second, slowest and fastest round. The first round warms up and is not counted. */
async function measure(operations: Readonly<Record<string, () => Promise<unknown>>>): Promise<void> {
  const rates = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round++) {
    for (const [name, run] of Object.entries(operations)) {
      let count = 0;
      const start = performance.now();
      while (performance.now() - start < roundMs) {
        await run();
        count++;
      }
      if (round > 0) rates.set(name, [...(rates.get(name) ?? []), (count * 1000) / (performance.now() - start)]);
    }
  }
  for (const [name, list] of rates) {
    const shown = [Math.min(...list), Math.max(...list)].map((rate) => rate.toFixed(0));
    process.stdout.write(`${name.padEnd(44)} ${shown.join(' to ')} per second\n`);
  }
}

test('checks per second', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-auth-bench-'));
  const auth = new Auth({ store: await openLmdbAccountStore({ directory }) });
  await auth.createAccount({ name: 'alice' });
  const { key, secret } = await auth.createKey('alice');
  await measure({
    authenticate: () => auth.authenticate({ keyId: key.id, secret }),
    identify: () => auth.identify(key.id),
    'authenticate, wrong secret': () => auth.authenticate({ keyId: key.id, secret: 'wrong' }).catch(() => undefined),
    'authenticate, unknown key': () => auth.authenticate({ keyId: 'unknown', secret }).catch(() => undefined),
  });
  await auth.close();
  rmSync(directory, { recursive: true });
}, 60_000);

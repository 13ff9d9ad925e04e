import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { testHeader, testSpec } from './test-chain.fixture.ts';

// Runs the built package; `nx test` builds it first.
const program = fileURLToPath(new URL('./many-contracts.fixture.mjs', import.meta.url));
const mebibyte = 1024 ** 2;
/** Without bounds, the caches for 100,000 codes would take half a gigabyte. */
const growthMax = 200 * mebibyte;

test('memory stays bounded while 100,000 contracts are called and some are compiled', async () => {
  const child = fork(program, { serialization: 'advanced', execArgv: ['--max-old-space-size=256'] });
  const reported = once(child, 'message');
  const ended = once(child, 'exit');
  child.send({ spec: testSpec, header: testHeader });
  const [message] = await Promise.race([
    reported,
    ended.then(([code]) => Promise.reject(new Error(`The child ended with status ${code}.`))),
  ]);
  const { used } = message as { used: number[] };
  expect(used).toHaveLength(100);
  // Every cache is full after a fifth of the calls.
  const [early, late] = [used.slice(0, 20), used.slice(20)].map((part) => Math.max(...part)) as [number, number];
  expect(late - early).toBeLessThan(growthMax);
  await ended;
}, 300_000);

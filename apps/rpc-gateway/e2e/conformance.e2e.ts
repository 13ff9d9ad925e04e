import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { call, conformance, createHome, type Gateway, launchGateway, startGateway } from './gateway.ts';

// A 54-block chain through every fork from Homestead on, with recorded exchanges of the execution-apis suite.
const chain = join(conformance, 'execution-apis');
const isThere = existsSync(join(chain, 'chain.rlp'));
const entry = {
  name: 'execution-apis',
  hosts: ['*'],
  genesis: join(chain, 'genesis.json'),
  blocks: [join(chain, 'chain.rlp')],
  requireFrom: false,
};

if (!isThere) test.skip(`skipped: no conformance data in ${conformance}`, () => {});

(isThere ? describe : describe.skip)('recorded exchanges', () => {
  let gateway: Gateway | undefined;
  beforeAll(async () => {
    gateway = await startGateway({ networks: [entry] });
  });
  afterAll(() => gateway?.stop());

  /** What the replay prints; it fails with the cases that differ. */
  const replay = (...args: readonly string[]) =>
    new Promise<string>((resolve) => {
      const all = ['replay.mjs', '--url', gateway?.url ?? '', ...args];
      execFile(process.execPath, all, { cwd: conformance }, (_error, stdout, stderr) => resolve(stdout + stderr));
    });

  test.each([
    'eth_call',
    'eth_getBlockByHash',
    'eth_getBlockByNumber',
    'eth_chainId',
    'eth_blockNumber',
    'net_version',
  ])('%s', async (method) => {
    const printed = await replay('--method', method);
    expect(printed).toMatch(/(^|\n)[1-9]\d* passed, 0 failed\n$/);
  });

  test.each(['eth-call-rules', 'eth-call-precompiles'])('%s', async (directory) => {
    if (!existsSync(join(conformance, directory))) throw new Error(`The data has no ${directory}.`);
    expect(await replay('--dir', directory)).toMatch(/(^|\n)[1-9]\d* passed, 0 failed\n$/);
  });
});

(isThere ? test : test.skip)('a gateway killed while it imports serves the whole chain after a restart', async () => {
  const home = await createHome();
  try {
    const killed = await launchGateway({ home, networks: [entry] });
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect((await fetch(`http://127.0.0.1:${killed.port}/readyz`)).status).toBe(503);
    expect(await killed.end('SIGKILL')).toBeNull();
    const restarted = await startGateway({ home, networks: [entry] });
    try {
      expect((await call(restarted.url, 'eth_blockNumber')).result).toBe('0x36');
      for (let number = 0; number <= 54; number++) {
        const { result } = await call(restarted.url, 'eth_getBlockByNumber', [`0x${number.toString(16)}`, true]);
        expect(result).toMatchObject({ number: `0x${number.toString(16)}` });
      }
    } finally {
      await restarted.stop();
    }
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

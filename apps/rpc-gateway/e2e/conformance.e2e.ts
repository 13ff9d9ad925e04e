import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openChainStore } from '@cairn/chain-store';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { call, conformance, createHome, type Gateway, launchGateway, startGateway } from './gateway.ts';

// A chain of 54 blocks through every fork from Homestead on, with recorded exchanges of the execution-apis suite.
const chain = join(conformance, 'execution-apis');
const isThere = existsSync(join(chain, 'chain.rlp'));
const entry = {
  name: 'execution-apis',
  hosts: ['*'],
  genesis: join(chain, 'genesis.json'),
  blocks: [join(chain, 'chain.rlp')],
  requireFrom: false,
};

/** Folders of recorded exchanges: one per method. */
function methodsRecorded(): string[] {
  const folders = readdirSync(chain, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.map(({ name }) => name).sort();
}

if (!isThere) test.skip(`skipped: no conformance data in ${conformance}`, () => {});

(isThere ? describe : describe.skip)('recorded exchanges', () => {
  let gateway: Gateway | undefined;
  beforeAll(async () => {
    gateway = await startGateway({ networks: [entry] });
  });
  afterAll(() => gateway?.stop());

  /** Returns the output of the replay. Fails with the cases that differ. */
  const replay = (...args: readonly string[]) =>
    new Promise<string>((resolve) => {
      const all = ['replay.mjs', '--url', gateway?.url ?? '', ...args];
      execFile(process.execPath, all, { cwd: conformance }, (_error, stdout, stderr) => resolve(stdout + stderr));
    });

  test.each(isThere ? methodsRecorded() : [])('%s', async (method) => {
    const printed = await replay('--method', method);
    expect(printed).toMatch(/(^|\n)[1-9]\d* passed, 0 failed\n$/);
  });

  test('eth_call follows the recorded rules', async () => {
    expect(await replay('--dir', 'eth-call-rules')).toMatch(/(^|\n)[1-9]\d* passed, 0 failed\n$/);
  });
});

(isThere ? test : test.skip)('a gateway killed twice while it imports serves the whole chain after that', async () => {
  const home = await createHome();
  const options = { home, networks: [entry] };
  try {
    // Killed immediately, then after the genesis block is stored, while later blocks are executed.
    expect(await (await launchGateway(options)).end('SIGKILL')).toBeNull();
    const importing = await launchGateway(options);
    await headStored(join(home, 'chains', entry.name));
    expect((await fetch(`http://127.0.0.1:${importing.port}/readyz`)).status).toBe(503);
    expect(await importing.end('SIGKILL')).toBeNull();

    const restarted = await startGateway(options);
    try {
      expect((await call(restarted.url, 'eth_blockNumber')).result).toBe('0x36');
      for (let height = 0; height <= 54; height++) {
        const number = `0x${height.toString(16)}`;
        expect((await call(restarted.url, 'eth_getBlockByNumber', [number, true])).result).toMatchObject({ number });
      }
    } finally {
      await restarted.stop();
    }
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

/** Waits until a gateway that imports has written its first head. */
async function headStored(directory: string): Promise<void> {
  const store = await openChainStore({ directory });
  try {
    while (store.headOrNone === undefined) await new Promise((resolve) => setTimeout(resolve, 2));
  } finally {
    await store.close();
  }
}

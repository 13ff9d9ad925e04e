import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { howToEnable, peerBinary } from '../../../tools/peers/binaries.mjs';
import { startKubo } from '../../../tools/peers/kubo.mjs';
import { noise, Service } from './service.ts';

if (peerBinary('kubo') === undefined) {
  // Prints the reason, since Jest does not show the names of skipped tests.
  process.stderr.write(`${howToEnable('kubo')}\n`);
  test.skip(howToEnable('kubo'), () => {});
} else describe('ipfs pin remote of a real Kubo', remotePins);

function remotePins(): void {
  const service = new Service();
  let kubo: Awaited<ReturnType<typeof startKubo>>;
  beforeAll(async () => {
    await service.makeAccounts();
    await service.start();
    kubo = await startKubo({ isOffline: false });
    await remote('service', 'add', 'cairn', `${service.url}/psa`, 'ann:secret-of-ann');
  });
  afterAll(async () => {
    await kubo?.stop();
    await service.remove();
  });

  const remote = async (...args: readonly string[]) => {
    if (kubo === undefined) throw new Error(howToEnable('kubo'));
    const env = { ...process.env, IPFS_PATH: kubo.repository, IPFS_TELEMETRY: 'off' };
    const { stdout } = await promisify(execFile)(kubo.binary, ['pin', 'remote', ...args], { env });
    return stdout.trim();
  };

  test('adds, lists and removes pins of stored content', async () => {
    const cids: string[] = [];
    for (const seed of [1, 2, 3]) {
      const [line] = await service.add(noise(300_000, seed), '?pin=false&cid-version=1');
      cids.push(line?.Hash ?? '');
    }
    for (const [index, cid] of cids.entries())
      expect(await remote('add', '--service=cairn', `--name=file ${index}`, cid)).toContain('pinned');
    expect(await remote('service', 'ls', '--stat')).toMatch(/0\/0\/3\/0/);
    expect((await remote('ls', '--service=cairn')).split('\n')).toHaveLength(3);
    expect(await remote('ls', '--service=cairn', '--name=file 1')).toBe(`${cids[1]}\tpinned\tfile 1`);
    expect(await remote('ls', '--service=cairn', `--cid=${cids[2]}`)).toContain('file 2');
    await remote('rm', '--service=cairn', '--name=file 1');
    expect(await remote('ls', '--service=cairn', '--name=file 1')).toBe('');
    await remote('rm', '--service=cairn', '--force');
    expect(await remote('ls', '--service=cairn')).toBe('');
  });

  test('adds a pin of absent content in the background, which stays open', async () => {
    const cid = 'bafkreieogg3nlfsw2hfbomanvhdrw5bfftdn67pui7rcg6gqo4ofuramfa';
    const added = await remote('add', '--service=cairn', '--background', '--name=absent', cid);
    expect(added).toMatch(/queued|pinning/);
    expect(await remote('ls', '--service=cairn', '--status=queued,pinning')).toContain('absent');
    await remote('rm', '--service=cairn', '--status=queued,pinning', '--name=absent');
    expect(await remote('ls', '--service=cairn', '--status=queued,pinning,failed')).toBe('');
  });
}

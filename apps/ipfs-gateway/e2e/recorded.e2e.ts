import { execFile } from 'node:child_process';
import { createReadStream, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLmdbBlockstore } from '@cairn/blockstore';
import { readCar } from '@cairn/dag';
import { openLmdbNameStore, parseIpnsName } from '@cairn/ipns';
import { startService } from '@cairn/service-kit/testing';
import { expect, test } from '@jest/globals';

// Exchanges recorded from Kubo 0.42, sent to the service by their own runner.
const conformance = fileURLToPath(new URL('../../../../shared/conformance/gateway/', import.meta.url));
const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const fixtures = join(conformance, 'fixtures');
/** Records that must be refused. */
const invalid = /_v1_|broken-signature-v2|broken-v1-value/;

/**
 * Differences by design. Kubo does not quote the entity tag of a record, which RFC 9110 requires, and sends 200 for a CAR whose
 * root is missing, where the Trustless Gateway specification requires 404. Its 304 has no entity tag, which RFC 9110 requires.
 */
const byDesign: readonly RegExp[] = [
  /^FAIL extra\/ipns record head$/,
  /^FAIL extra\/car of missing block$/,
  /^FAIL extra\/if-none-match (?:same|weak same|list with same|raw format)$/,
];

async function fill(home: string): Promise<void> {
  const blocks = await openLmdbBlockstore({ directory: join(home, 'blocks') });
  const car = await readCar(createReadStream(join(fixtures, 'fixtures.car')));
  for await (const block of car.blocks) await blocks.putMany([block]);
  await blocks.sync();
  await blocks.close();
  const names = await openLmdbNameStore({ directory: join(home, 'names') });
  for (const file of readdirSync(fixtures).filter((each) => each.endsWith('.ipns-record'))) {
    const name = parseIpnsName(file.split('_')[0] ?? '');
    if (name === undefined) throw new Error(`${file} does not begin with a name.`);
    const put = names.records.put(name, readFileSync(join(fixtures, file)), { account: 'ann' });
    if (invalid.test(file)) await expect(put).rejects.toMatchObject({ code: 'IPNS_RECORD_INVALID' });
    else expect(await put).toBe('stored');
  }
  await names.close();
}

if (!existsSync(conformance)) test.skip('skipped: ../shared/conformance is not beside the repository', () => {});
else
  test('the service answers the exchanges recorded from Kubo', async () => {
    const home = mkdtempSync(join(tmpdir(), 'cairn-gateway-recorded-'));
    await fill(home);
    const service = await startService({
      main,
      home,
      env: {
        IPFS_GATEWAY_ACCESS: 'public',
        // The runner sends the fields of a proxy.
        IPFS_GATEWAY_TRUSTED_PROXIES: '127.0.0.1',
        IPFS_GATEWAY_HOSTS: 'example.com,localhost',
        IPFS_NS_MAP: readFileSync(join(fixtures, 'dnslinks.IPFS_NS_MAP'), 'utf8').trim(),
      },
    });
    try {
      const output = await new Promise<string>((resolve) => {
        execFile(process.execPath, [join(conformance, 'run.mjs'), '--url', service.url], (_, stdout) =>
          resolve(stdout),
        );
      });
      const failed = output.split('\n').filter((line) => line.startsWith('FAIL'));
      expect(failed.filter((line) => !byDesign.some((pattern) => pattern.test(line)))).toEqual([]);
      expect(output).toMatch(/\d+ of 231 /);
    } finally {
      await service.stop();
      rmSync(home, { recursive: true });
    }
  });

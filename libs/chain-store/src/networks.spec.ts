import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { loadNetworks } from './index.ts';

const home = mkdtempSync(join(tmpdir(), 'cairn-networks-'));
afterAll(() => rmSync(home, { recursive: true }));

function load(content: unknown) {
  const file = join(home, 'networks.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return loadNetworks(file);
}
const hive = { name: 'hive', hosts: ['hive.localhost'], genesis: 'genesis.json', blocks: ['chain.rlp'] };

describe('loadNetworks', () => {
  test('resolves paths relative to the file, and keeps known names and absolute paths', () => {
    expect(
      load({ networks: [hive, { name: 'mainnet', genesis: 'mainnet', blocks: ['/data/a.era1'], requireFrom: false }] }),
    ).toEqual([
      { ...hive, genesis: join(home, 'genesis.json'), blocks: [join(home, 'chain.rlp')], requireFrom: true },
      { name: 'mainnet', hosts: [], genesis: 'mainnet', blocks: ['/data/a.era1'], requireFrom: false },
    ]);
  });

  test.each([
    ['{', 'expected JSON'],
    [{}, 'networks'],
    [{ networks: [] }, 'one network or more'],
    [{ networks: [{ ...hive, name: '../up' }] }, 'networks.0.name: expected 1 to 32 lower-case'],
    [{ networks: [{ ...hive, hosts: ['UPPER'] }] }, 'networks.0.hosts.0: expected a host name'],
    [{ networks: [{ ...hive, hosts: ['host:8545'] }] }, 'without a port'],
    [{ networks: [{ ...hive, requirefrom: true }] }, 'requirefrom'],
    [{ networks: [{ ...hive, genesis: undefined }] }, 'networks.0.genesis'],
    [{ networks: [{ ...hive, source: { rpc: 'ftp://x' } }] }, 'networks.0.source.rpc: expected a URL of http'],
    [{ networks: [{ ...hive, finalized: '0x12' }] }, 'networks.0.finalized: expected a block hash'],
    [{ networks: [hive, hive] }, 'the name "hive" is there twice'],
    [{ networks: [hive, { ...hive, name: 'b', hosts: ['*'] }] }, 'only the first network may list "*"'],
  ])('refuses %j with the place and the fault', (content, message) => {
    expect(() => load(content)).toThrow(
      expect.objectContaining({ code: 'NETWORKS_INVALID', message: expect.stringContaining(message) }),
    );
  });

  test('names a missing file in the error', () => {
    expect(() => loadNetworks(join(home, 'none.json'))).toThrow(
      expect.objectContaining({ message: expect.stringContaining('none.json') }),
    );
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { isUpstreamNetwork, loadNetworks } from './index.ts';

const home = mkdtempSync(join(tmpdir(), 'cairn-networks-'));
afterAll(() => rmSync(home, { recursive: true }));

function load(content: unknown) {
  const file = join(home, 'networks.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return loadNetworks(file);
}
const remote = { name: 'remote', upstreams: ['https://a/KEY', 'wss://b'], head: { quorum: 2 }, chainId: 10 };
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

  test('reads networks with upstreams and each kind of head', () => {
    const checkpoint = `0x${'ab'.repeat(32)}`;
    const upstreams = [{ url: 'https://a/KEY', requestsPerSecond: 25 }, 'wss://b'];
    const beacon = { beacon: ['https://beacon'], checkpoint, config: 'beacon.json' };
    const heads = [beacon, { quorum: 2 }, { trusted: true }];
    const networks = load({
      networks: heads.map((head, i) => ({ name: `n${i}`, upstreams, head, genesis: 'sepolia' })),
    });
    const common = { hosts: [], requireFrom: true, genesis: 'sepolia', upstreams: [upstreams[0], { url: 'wss://b' }] };
    expect(networks).toEqual([
      { ...common, name: 'n0', head: { kind: 'beacon', ...beacon, config: join(home, 'beacon.json') } },
      { ...common, name: 'n1', head: { kind: 'quorum', quorum: 2 } },
      { ...common, name: 'n2', head: { kind: 'trusted' } },
    ]);
    expect(networks.map(isUpstreamNetwork)).toEqual([true, true, true]);
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
    [{ networks: [{ ...remote, head: undefined }] }, 'networks.0.head: expected {"beacon"'],
    [{ networks: [{ ...remote, head: { quorum: 1 } }] }, 'networks.0.head.quorum: expected 2 or more'],
    [{ networks: [{ ...remote, head: { quorum: 3 } }] }, 'networks.0.head.quorum: expected at most 2'],
    [
      { networks: [{ ...remote, head: { beacon: ['https://b'] } }] },
      'networks.0.head.checkpoint: expected the root of a finalized',
    ],
    [{ networks: [{ ...remote, head: { trusted: false } }] }, 'networks.0.head.trusted'],
    [{ networks: [{ ...remote, chainId: undefined }] }, 'networks.0.chainId: expected chainId or genesis'],
    [{ networks: [{ ...remote, upstreams: ['ftp://x'] }] }, 'networks.0.upstreams.0: expected a URL of http'],
    [{ networks: [{ ...remote, upstreams: [] }] }, 'networks.0.upstreams: expected one URL or more'],
    [{ networks: [{ ...remote, blocks: ['a.era1'] }] }, 'blocks'],
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

import type { Chains } from '@cairn/chain-store/nest';
import { createLogger, loadSettings } from '@cairn/service-kit';
import { describe, expect, test } from '@jest/globals';
import { settingsShape } from '../settings.ts';
import { ChainRegistry } from './chain-registry.ts';

const registryOf = (...hosts: readonly (readonly string[])[]) => {
  const chains = hosts.map((names, index) => ({
    network: { name: `network-${index}`, hosts: names, genesis: 'mainnet', blocks: [], requireFrom: true },
    // Choosing by host reads no blocks.
    store: {},
  })) as unknown as Chains;
  const settings = loadSettings(settingsShape, { env: {}, directory: '/' });
  return new ChainRegistry(chains, settings, createLogger({ name: 'test', level: 'silent' }));
};

describe('byHost', () => {
  const named = registryOf(['one.example'], ['two.example', 'zwei.example']);

  test.each([
    ['one.example', 'network-0'],
    ['two.example:8545', 'network-1'],
    ['ZWEI.example', 'network-1'],
    ['localhost:8545', 'network-0'],
    ['127.0.0.1', 'network-0'],
    ['[::1]:8545', 'network-0'],
  ])('%s means %s', (host, name) => {
    expect(named.byHost(host).network.name).toBe(name);
  });

  test.each(['three.example', 'one.example.evil', '', undefined])('%s means none', (host) => {
    expect(() => named.byHost(host)).toThrow('Known hosts: one.example, two.example, zwei.example.');
  });

  test('the first network takes all other hosts where it lists "*"', () => {
    const open = registryOf(['*'], ['two.example']);
    expect(open.byHost('three.example').network.name).toBe('network-0');
    expect(open.byHost(undefined).network.name).toBe('network-0');
    expect(open.byHost('two.example').network.name).toBe('network-1');
  });
});

test('before the import nothing is ready and no call is executed', async () => {
  const registry = registryOf(['*']);
  expect(registry.notReady).toBe('the networks are being imported');
  const job = { chain: 'network-0', blockHash: '0x00' as const, call: {} };
  const options = { lane: 'a', signal: new AbortController().signal };
  await expect(registry.execute(job as never, options)).rejects.toMatchObject({ rpcCode: -32002 });
});

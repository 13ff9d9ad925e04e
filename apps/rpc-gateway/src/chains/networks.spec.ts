import { describe, expect, test } from '@jest/globals';
import type { Chain } from './chain.ts';
import { Networks } from './networks.ts';

const networksOf = (...hosts: readonly (readonly string[])[]) =>
  new Networks(
    hosts.map((names, index) => ({ network: { name: `network-${index}`, hosts: names } }) as unknown as Chain),
  );

describe('byHost', () => {
  const named = networksOf(['one.example'], ['two.example', 'zwei.example']);

  test.each([
    ['one.example', 'network-0'],
    ['two.example:8545', 'network-1'],
    ['ZWEI.example', 'network-1'],
    ['localhost:8545', 'network-0'],
    ['127.0.0.1', 'network-0'],
    ['[::1]:8545', 'network-0'],
  ])('selects the network of %s: %s', (host, name) => {
    expect(named.byHost(host).network.name).toBe(name);
  });

  test.each(['three.example', 'one.example.evil', '', undefined])('refuses the unknown host %s', (host) => {
    expect(() => named.byHost(host)).toThrow('Known hosts: one.example, two.example, zwei.example.');
  });

  test('selects the first network for all other hosts if it lists "*"', () => {
    const open = networksOf(['*'], ['two.example']);
    expect(open.byHost('three.example').network.name).toBe('network-0');
    expect(open.byHost(undefined).network.name).toBe('network-0');
    expect(open.byHost('two.example').network.name).toBe('network-1');
  });
});

import { describe, expect, test } from '@jest/globals';
import { endpointsOf, networkUrl } from './endpoints.ts';
import { snippetsOf } from './snippets.ts';

const me = {
  services: {
    storageUrl: 'http://127.0.0.1:5001',
    gatewayUrl: 'http://127.0.0.1:8545',
    ipfsGatewayUrl: 'http://127.0.0.1:8081',
  },
  networks: [
    { name: 'sample', hosts: ['sample.localhost', '*'] },
    { name: 'mainnet', hosts: ['mainnet.localhost'] },
  ],
} as const;

describe('endpoints', () => {
  test('networkUrl keeps the address of the gateway for a network of every host', () => {
    expect(networkUrl(me, 'sample')).toBe('http://127.0.0.1:8545');
  });

  test('networkUrl takes the host of a network and keeps scheme and port', () => {
    expect(networkUrl(me, 'mainnet')).toBe('http://mainnet.localhost:8545');
    const services = { ...me.services, gatewayUrl: 'https://rpc.example.org' };
    expect(networkUrl({ ...me, services }, 'mainnet')).toBe('https://mainnet.localhost');
  });

  test('networkUrl keeps the address of the gateway for the first network on loopback', () => {
    const networks = [{ name: 'mine', hosts: ['mine.example'] }];
    expect(networkUrl({ ...me, networks }, 'mine')).toBe('http://127.0.0.1:8545');
    const services = { ...me.services, gatewayUrl: 'https://rpc.example.org' };
    expect(networkUrl({ networks, services }, 'mine')).toBe('https://mine.example');
  });

  test('endpointsOf lists HTTP, WebSocket, storage and gateway', () => {
    expect(endpointsOf(me, 'mainnet', 'ck_1').map(({ url }) => url)).toEqual([
      'http://mainnet.localhost:8545/v3/ck_1',
      'ws://mainnet.localhost:8545/ws/v3/ck_1',
      'http://127.0.0.1:5001/api/v0',
      'http://127.0.0.1:8081/ipfs/<CID>',
    ]);
  });

  test('snippetsOf names the key and the network in each client', () => {
    const snippets = snippetsOf(me, { key: 'ck_1', secret: 's3cret', network: 'mainnet' });
    expect(snippets.map(({ name }) => name)).toEqual([
      'curl',
      'kubo-rpc-client',
      'viem',
      'ethers',
      'web3.js',
      'web3.py',
    ]);
    for (const { name, code } of snippets) {
      expect(code).toContain('ck_1');
      expect(code).toContain(name === 'kubo-rpc-client' ? 'http://127.0.0.1:5001' : 'http://mainnet.localhost:8545');
      if (['viem', 'ethers', 'web3.js', 'web3.py'].includes(name)) expect(code).not.toContain('s3cret');
    }
  });
});

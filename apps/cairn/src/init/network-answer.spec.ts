import { describe, expect, test } from '@jest/globals';
import { networkAnswers } from './network-answer.ts';

const root = `0x${'ab'.repeat(32)}`;

describe('networkAnswers', () => {
  test('parses networks with their authorities', () => {
    const networks = ['mainnet=https://a.example/k,https://b.example', 'sepolia=http://c', 'hoodi=http://d,http://e'];
    expect(networkAnswers(networks, [`mainnet=${root}@https://beacon.example`, 'hoodi=quorum:2'])).toEqual([
      {
        name: 'mainnet',
        upstreams: ['https://a.example/k', 'https://b.example'],
        head: { beacon: ['https://beacon.example'], checkpoint: root },
      },
      { name: 'sepolia', upstreams: ['http://c'], head: { trusted: true } },
      { name: 'hoodi', upstreams: ['http://d', 'http://e'], head: { quorum: 2 } },
    ]);
  });

  test.each([
    [['mainnet'], [], '--network: expected <name>=<url>'],
    [['base=https://a'], [], 'is not one of mainnet, sepolia, hoodi'],
    [['mainnet=https://a/secret'], ['mainnet=maybe'], '--head: expected'],
    [[], ['mainnet=trusted'], 'there is no --network "mainnet"'],
  ])('%j with %j is refused', (networks, heads, message) => {
    const parse = () => networkAnswers(networks, heads);
    expect(parse).toThrow(message);
    expect(parse).not.toThrow(/secret/);
  });
});

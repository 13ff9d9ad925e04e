import { describe, expect, test } from '@jest/globals';
import {
  parseKeyPolicy,
  requireClient,
  requireContracts,
  requireGrant,
  requireMethod,
  requireNetwork,
  requireStorage,
} from './key-policy.ts';

const scope = expect.objectContaining({ code: 'KEY_SCOPE_MISSING', hint: expect.stringContaining('cairn key limit') });
const client = expect.objectContaining({ code: 'CLIENT_NOT_ALLOWED' });
const address = `0x${'ab'.repeat(20)}`;

test('an empty policy allows everything', () => {
  requireStorage({}, 'pin');
  requireNetwork({}, 'any');
  requireMethod({}, 'eth_call');
  requireContracts({}, [undefined]);
  requireClient({}, { address: undefined, origin: undefined });
});

test('an empty list allows nothing', () => {
  expect(() => requireStorage({ storage: [] }, 'read')).toThrow(scope);
  expect(() => requireNetwork({ networks: [] }, 'any')).toThrow(scope);
  expect(() => requireMethod({ methods: [] }, 'eth_call')).toThrow(scope);
  expect(() => requireContracts({ contracts: [] }, [address])).toThrow(scope);
  expect(() => requireClient({ origins: [] }, { address: '1.2.3.4', origin: 'https://a' })).toThrow(client);
  expect(() => requireClient({ addresses: [] }, { address: '1.2.3.4', origin: undefined })).toThrow(client);
});

test('a key has the scope "send" only if its policy grants it', () => {
  requireGrant({ grants: ['send'] }, 'send');
  // Policies of keys that were stored before the scope existed.
  for (const policy of [{}, { methods: ['*', 'eth_*'] }, { storage: ['read', 'add', 'pin'] as const }, { grants: [] }])
    expect(() => requireGrant(policy, 'send')).toThrow(
      expect.objectContaining({
        code: 'KEY_SCOPE_MISSING',
        message: expect.stringContaining('"send"'),
        hint: expect.stringContaining('cairn key limit --grants send'),
      }),
    );
});

test('a key has the scope "node" only if its policy grants it, and the hint names the command of the operator', () => {
  requireGrant({ grants: ['send', 'node'] }, 'node');
  for (const policy of [{}, { grants: ['send'] as const }])
    expect(() => requireGrant(policy, 'node')).toThrow(
      expect.objectContaining({
        code: 'KEY_SCOPE_MISSING',
        message: expect.stringContaining('"node"'),
        hint: expect.stringMatching(/^An operator adds it with `cairn key limit --grants node`/),
      }),
    );
  expect(parseKeyPolicy({ grants: ['node'] })).toEqual({ grants: ['node'] });
});

test('a policy allows the listed scopes, networks, methods, method prefixes and contracts, and refuses others', () => {
  requireStorage({ storage: ['read', 'add'] }, 'add');
  expect(() => requireStorage({ storage: ['read', 'add'] }, 'pin')).toThrow(scope);
  requireNetwork({ networks: ['mainnet'] }, 'mainnet');
  expect(() => requireNetwork({ networks: ['mainnet'] }, 'sepolia')).toThrow(scope);
  const methods = ['eth_get*', 'eth_call'];
  for (const name of ['eth_getBalance', 'eth_get', 'eth_call']) requireMethod({ methods }, name);
  for (const name of ['eth_callMany', 'debug_eth_get', 'eth_blockNumber'])
    expect(() => requireMethod({ methods }, name)).toThrow(scope);
  requireContracts({ contracts: [address] }, [address, address.toUpperCase().replace('0X', '0x')]);
  expect(() => requireContracts({ contracts: [address] }, [address, undefined])).toThrow(scope);
  expect(() => requireContracts({ contracts: [address] }, [`0x${'00'.repeat(20)}`])).toThrow(scope);
});

describe('requireClient', () => {
  test.each([
    ['10.1.2.3', true],
    ['::ffff:10.1.2.3', true],
    ['11.1.2.3', false],
    ['192.0.2.7', true],
    ['192.0.2.8', false],
    ['2001:db8::1', true],
    ['2001:db9::1', false],
    ['not an address', false],
    [undefined, false],
  ])('address %s is allowed: %s', (from, isAllowed) => {
    const { addresses } = parseKeyPolicy({ addresses: ['10.0.0.0/8', '192.0.2.7', '2001:DB8::/32'] });
    const check = () => requireClient({ ...(addresses && { addresses }) }, { address: from, origin: undefined });
    if (isAllowed) check();
    else expect(check).toThrow(client);
  });

  test('compares whole origins without regard to case', () => {
    const policy = { origins: ['https://app.example'] };
    requireClient(policy, { address: undefined, origin: 'https://App.example' });
    for (const origin of ['https://app.example.evil', 'http://app.example', 'https://app.example:444', undefined])
      expect(() => requireClient(policy, { address: undefined, origin })).toThrow(client);
  });
});

test.each([
  [{ storage: ['delete'] }, 'storage'],
  [{ networks: ['Main Net'] }, 'networks'],
  [{ methods: ['*call'] }, 'methods'],
  [{ contracts: ['0x12'] }, 'contracts'],
  [{ origins: ['app.example'] }, 'origins'],
  [{ origins: ['https://app.example/path'] }, 'origins'],
  [{ addresses: ['10.0.0.0/33'] }, 'addresses'],
  [{ addresses: ['10.0.0'] }, 'addresses'],
  [{ grants: ['sign'] }, 'grants'],
  [{ storage: 'read' }, 'storage'],
  [{ contracts: [12] }, 'contracts'],
  [{ methods: null }, 'methods'],
  [{ methods: Array.from({ length: 101 }, () => 'eth_call') }, 'methods'],
])('parseKeyPolicy refuses %j', (policy, field) => {
  expect(() => parseKeyPolicy(policy as never)).toThrow(
    expect.objectContaining({ code: 'VALUE_INVALID', details: { field } }),
  );
});

test('parseKeyPolicy lower-cases addresses and drops absent fields', () => {
  const given = {
    contracts: [address.toUpperCase().replace('0X', '0x')],
    methods: ['eth_getBalance'],
    grants: undefined,
  };
  expect(parseKeyPolicy(given as never)).toEqual({ contracts: [address], methods: ['eth_getBalance'] });
});

test.each(['method', 'constructor', '__proto__'])('parseKeyPolicy refuses the unknown restriction %s', (name) => {
  const policy = JSON.parse(`{"storage":["read"],${JSON.stringify(name)}:["eth_call"]}`);
  expect(() => parseKeyPolicy(policy)).toThrow(
    expect.objectContaining({
      code: 'VALUE_INVALID',
      message: `policy: "${name}" is not a restriction: storage, networks, methods, contracts, origins, addresses, grants.`,
    }),
  );
});

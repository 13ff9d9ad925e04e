import { type Authorization, bigintFromBytes, type Hex } from '@cairn/block-model';
import { eoaCode7702SignAuthorization, hexToBytes, privateToAddress } from '@ethereumjs/util';
import { describe, expect, test } from '@jest/globals';
import type { AccountOverride } from './call-request.ts';
import { alice, callCode, callTest, contract, other } from './test-chain.fixture.ts';

const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`;
const identity: Hex = `0x${'04'.padStart(40, '0')}`;
const overrides = (...entries: readonly (readonly [Hex, AccountOverride])[]) => ({ stateOverrides: new Map(entries) });

describe('state overrides', () => {
  const stored = { accounts: { [contract]: { storage: { [word(1n)]: word(11n), [word(2n)]: word(12n) } } } };
  // Returns slot 1 and slot 2.
  const read: Hex = '0x6001545f5260025460205260405ff3';

  test('state replaces the whole storage, stateDiff replaces single slots', async () => {
    const slots = new Map([[word(1n), word(99n)]]);
    const one = await callCode(read, {}, { ...stored, ...overrides([contract, { state: slots }]) });
    expect(one).toMatchObject({ output: `${word(99n)}${word(0n).slice(2)}` });
    const two = await callCode(read, {}, { ...stored, ...overrides([contract, { stateDiff: slots }]) });
    expect(two).toMatchObject({ output: `${word(99n)}${word(12n).slice(2)}` });
  });

  test('an overridden value is the original value of the slot: writing it again is a no-op', async () => {
    // SSTORE(1, 99) into a slot that holds 99 is a no-op of 100 gas after the cold access (EIP-2200, 2929).
    const slots = new Map([[word(1n), word(99n)]]);
    const result = await callCode('0x606360015500', {}, { ...stored, ...overrides([contract, { stateDiff: slots }]) });
    expect(result).toMatchObject({ kind: 'success', gasUsed: 21_000n + 6n + 2_200n });
  });

  test('balance, nonce and code create an account', async () => {
    const options = overrides([alice, { balance: 5n, nonce: 7n }], [contract, { code: '0x3231345f5260205ff3' }]);
    expect(await callTest({ from: alice, to: contract, value: 3n }, options)).toMatchObject({ kind: 'success' });
    await expect(callTest({ from: alice, to: contract, value: 6n }, options)).rejects.toMatchObject({
      code: 'CALL_FUNDS_INSUFFICIENT',
    });
  });

  test('a moved precompile leaves an ordinary account behind', async () => {
    const options = overrides([identity, { movePrecompileToAddress: other }]);
    expect(await callTest({ to: other, data: '0x0102' }, options)).toMatchObject({ output: '0x0102' });
    expect(await callTest({ to: identity, data: '0x0102' }, options)).toMatchObject({ output: '0x' });
    // The next call finds the precompile at its own address.
    expect(await callTest({ to: identity, data: '0x0102' })).toMatchObject({ output: '0x0102' });
  });

  test.each([
    ['a plain account that shall move', [[alice, { movePrecompileToAddress: other }]], 'is not a precompile'],
    [
      'a precompile that shall move onto an override',
      [
        [other, { balance: 1n }],
        [identity, { movePrecompileToAddress: other }],
      ],
      'is already overridden',
    ],
    [
      'both kinds of storage',
      [[alice, { state: new Map(), stateDiff: new Map() }]],
      "has both 'state' and 'stateDiff'",
    ],
  ] as const)('%s is refused', async (_, entries, message) => {
    await expect(
      callTest({ to: alice }, { stateOverrides: new Map<Hex, AccountOverride>(entries) }),
    ).rejects.toMatchObject({ code: 'OVERRIDE_INVALID', message: expect.stringContaining(message) });
  });
});

describe('authorizations (EIP-7702)', () => {
  const key = hexToBytes(`0x${'42'.repeat(32)}`);
  const authority: Hex = `0x${Buffer.from(privateToAddress(key)).toString('hex')}`;
  const signed = (chainId: Hex, nonce: Hex) => {
    const item = eoaCode7702SignAuthorization({ chainId, address: other, nonce }, key);
    const [yParity, r, s] = [item[3], item[4], item[5]].map(bigintFromBytes);
    return { chainId: BigInt(chainId), address: other, nonce: BigInt(nonce), yParity, r, s } as Authorization;
  };
  const accounts = { [other]: { code: '0x305f5260205ff3' as Hex } };

  test('the account runs the code that it delegates to', async () => {
    const result = await callTest({ to: authority, authorizationList: [signed('0x0', '0x0')] }, { accounts });
    expect(result).toMatchObject({ kind: 'success', output: `0x${authority.slice(2).padStart(64, '0')}` });
  });

  test.each([
    ['another nonce', signed('0x0', '0x5')],
    ['another chain', signed('0x1', '0x0')],
    ['a high s', { ...signed('0x0', '0x0'), s: 2n ** 256n - 1n }],
    ['no signature', { ...signed('0x0', '0x0'), r: 0n }],
  ])('an authorization for %s is skipped', async (_, authorization) => {
    const result = await callTest({ to: authority, authorizationList: [authorization] }, { accounts });
    expect(result).toMatchObject({ kind: 'success', output: '0x' });
  });

  test('the delegation target of the recipient is warm', async () => {
    const delegation: Hex = `0xef0100${other.slice(2)}`;
    const measured: Hex = `0x5a73${other.slice(2)}31505a90035f5260205ff3`;
    const result = await callTest(
      { to: alice },
      { accounts: { [alice]: { code: delegation }, [other]: { code: measured } } },
    );
    expect(result.kind === 'success' && BigInt(result.output)).toBe(107n);
  });
});

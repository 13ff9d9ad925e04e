import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseCallRequest } from './parse-call-request.ts';
import { parseBlockOverrides, parseStateOverrides } from './parse-overrides.ts';
import { parseSimulation } from './simulate/parse-simulation.ts';

const address = `0x${'Aa'.repeat(20)}`;
const lower = address.toLowerCase();
const word = `0x${'00'.repeat(31)}2A`;

describe('parseCallRequest', () => {
  test('parses every field and ignores null and unknown ones', () => {
    const call = parseCallRequest({
      from: address,
      to: null,
      gas: '0x5208',
      maxFeePerGas: '0x2',
      maxPriorityFeePerGas: '0x1',
      value: '0x0',
      input: '0xFF00',
      data: '0xff00',
      chainId: '0x1',
      accessList: [
        { address, storageKeys: [word] },
        { address, storageKeys: [] },
      ],
      maxFeePerBlobGas: '0x3',
      blobVersionedHashes: [word],
      authorizationList: [{ chainId: '0x1', address, nonce: '0x0', yParity: '0x1', r: '0x5', s: '0x6' }],
      type: '0x2',
      foo: 1,
    });
    expect(call).toEqual({
      from: lower,
      gas: 21_000n,
      maxFeePerGas: 2n,
      maxPriorityFeePerGas: 1n,
      value: 0n,
      data: '0xff00',
      chainId: 1n,
      accessList: [
        { address: lower, storageKeys: [word.toLowerCase()] },
        { address: lower, storageKeys: [] },
      ],
      maxFeePerBlobGas: 3n,
      blobVersionedHashes: [word.toLowerCase()],
      authorizationList: [{ chainId: 1n, address: lower, nonce: 0n, yParity: 1n, r: 5n, s: 6n }],
    });
    expect(Object.keys(call)).not.toContain('to');
  });

  test.each([
    [[], 'call: expected an object'],
    [{ gas: '21000' }, 'call.gas: expected a hexadecimal quantity without leading zeros such as "0x5208"'],
    [{ gas: 100000 }, 'call.gas: expected a hexadecimal quantity'],
    [{ to: '0x12' }, 'call.to: expected 20 hexadecimal bytes'],
    [{ input: '0x1' }, 'call.input: expected hexadecimal bytes'],
    [
      { nonce: '0x10000000000000000' },
      'call.nonce: expected a hexadecimal quantity without leading zeros such as "0x5208", 64 bits at most',
    ],
    [
      { gas: '0x10000000000000000' },
      'call.gas: expected a hexadecimal quantity without leading zeros such as "0x5208", 64 bits at most',
    ],
    [{ accessList: [{ address: '0x' }] }, 'call.accessList[0].address: expected 20'],
    [{ accessList: Array(10_001).fill({ address }) }, 'call.accessList: expected at most 10000 entries, got 10001'],
    [{ blobVersionedHashes: ['0x'] }, 'call.blobVersionedHashes[0]: expected 32'],
    [{ authorizationList: [{}] }, 'call.authorizationList[0].chainId: expected'],
  ])('refuses %j', (json, message) => {
    expect(() => parseCallRequest(json)).toThrow(message);
  });

  // Messages of geth 1.17.5.
  const member = (fault: string, name: string, type: string) =>
    `json: cannot unmarshal ${fault} into Go struct field TransactionArgs.${name} of type ${type}`;
  const whole = { chainId: '0x1', address, nonce: '0x1', yParity: '0x1', r: '0x1', s: '0x1' };
  test.each([
    [5, 'json: cannot unmarshal number into Go value of type ethapi.TransactionArgs'],
    [{ gas: 5 }, member('non-string', 'gas', 'hexutil.Uint64')],
    [{ nonce: '0x10000000000000000' }, member('hex number > 64 bits', 'nonce', 'hexutil.Uint64')],
    [{ value: `0x1${'0'.repeat(64)}` }, member('hex number > 256 bits', 'value', '*hexutil.Big')],
    [{ data: '0x1' }, member('hex string of odd length', 'data', 'hexutil.Bytes')],
    [{ from: '0x1' }, member('hex string of odd length', 'from', 'common.Address')],
    [{ accessList: 5 }, member('number', 'accessList', 'types.AccessList')],
    [{ accessList: [5] }, member('number', 'accessList', 'types.AccessTuple')],
    [
      { accessList: [{ address: '0x1', storageKeys: [] }] },
      member('hex string of odd length', 'accessList.address', 'common.Address'),
    ],
    [
      { accessList: [{ address, storageKeys: ['0x1'] }] },
      member('hex string of odd length', 'accessList.storageKeys', 'common.Hash'),
    ],
    [{ accessList: [null] }, "missing required field 'address' for AccessTuple"],
    [{ accessList: [{ address }] }, "missing required field 'storageKeys' for AccessTuple"],
    [{ blobVersionedHashes: 5 }, member('number', 'blobVersionedHashes', '[]common.Hash')],
    [{ authorizationList: [5] }, member('number', 'authorizationList', 'types.SetCodeAuthorization')],
    [{ authorizationList: [{ chainId: 5 }] }, member('non-string', 'authorizationList.chainId', '*uint256.Int')],
    [
      { authorizationList: [{ ...whole, r: '0x01' }] },
      member('hex number with leading zero digits', 'authorizationList.r', '*uint256.Int'),
    ],
    [{ authorizationList: [{ chainId: '0x1' }] }, "missing required field 'address' for SetCodeAuthorization"],
    [
      { authorizationList: [{ chainId: '0x1', address, nonce: '0x1', v: '0x1b', r: '0x1', s: '0x1' }] },
      "missing required field 'yParity' for SetCodeAuthorization",
    ],
  ])("refuses %j with geth's message", (json, reason) => {
    expect(() => parseCallRequest(json)).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ reason }) }),
    );
  });

  test('accepts null as an object without fields, as geth does', () => {
    expect(parseCallRequest(null)).toEqual({});
    expect(parseStateOverrides({ [address]: null })).toEqual(new Map([[lower, {}]]));
    expect(parseBlockOverrides(null)).toEqual({});
  });

  test('prefers input over a different data, as geth does', () => {
    expect(parseCallRequest({ input: '0x01', data: '0x02' })).toEqual({ data: '0x01' });
  });

  test('with requireFrom refuses a call without from and names both remedies', () => {
    expect(() => parseCallRequest({ to: address }, { requireFrom: true })).toThrow(
      /^call\.from: .*Give your client an account, or set "requireFrom": false/,
    );
    expect(parseCallRequest({ from: address }, { requireFrom: true })).toEqual({ from: lower });
  });

  test('returns a call or throws VALUE_INVALID for any JSON', () => {
    const fields = fc.constantFrom('to', 'gas', 'data', 'input', 'value', 'accessList', 'authorizationList', 'from');
    fc.assert(
      fc.property(fc.dictionary(fields, fc.jsonValue()), (json) => {
        try {
          parseCallRequest(json);
        } catch (error) {
          expect(error).toMatchObject({ code: 'VALUE_INVALID', details: { field: expect.stringMatching(/^call/) } });
        }
      }),
    );
  });
});

describe('parseStateOverrides', () => {
  test('parses every field', () => {
    const json = { [address]: { nonce: '0x1', balance: '0x2', code: '0x60', stateDiff: { [word]: word } } };
    expect(parseStateOverrides(json).get(`0x${'aa'.repeat(20)}`)).toEqual({
      nonce: 1n,
      balance: 2n,
      code: '0x60',
      stateDiff: new Map([[word.toLowerCase(), word.toLowerCase()]]),
    });
  });

  test.each([
    [{ '0x1': {} }, 'stateOverrides, key: expected 20'],
    [{ [address]: { balance: 1 } }, `stateOverrides.${lower}.balance: expected a hexadecimal quantity`],
    [{ [address]: { state: { '0x1': word } } }, `stateOverrides.${lower}.state, key: expected 32`],
    [{ [address]: { state: { [word]: '0x1' } } }, `stateOverrides.${lower}.state.${word}: expected 32`],
    [
      { [address]: { nonce: '0x10000000000000000' } },
      `stateOverrides.${lower}.nonce: expected a hexadecimal quantity without leading zeros such as "0x5208", 64 bits`,
    ],
  ])('refuses %j', (json, message) => {
    expect(() => parseStateOverrides(json)).toThrow(message);
  });
});

test.each([
  [5, 'json: cannot unmarshal number into Go value of type override.StateOverride'],
  [{ '0x1': {} }, 'json: cannot unmarshal hex string of odd length into Go value of type common.Address'],
  [{ [address]: 5 }, 'json: cannot unmarshal number into Go value of type override.OverrideAccount'],
  [
    { [address]: { nonce: 5 } },
    'json: cannot unmarshal non-string into Go struct field OverrideAccount.nonce of type hexutil.Uint64',
  ],
  [
    { [address]: { state: { '0x1': word } } },
    'json: cannot unmarshal hex string of odd length into Go struct field OverrideAccount.state of type common.Hash',
  ],
])("parseStateOverrides refuses %j with geth's message", (json, reason) => {
  expect(() => parseStateOverrides(json)).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ reason }) }),
  );
});

test.each([
  [{ number: 5 }, 'non-string into Go struct field BlockOverrides.Number of type *hexutil.Big'],
  [
    { beaconRoot: '0x1' },
    'hex string of odd length into Go struct field BlockOverrides.BeaconRoot of type common.Hash',
  ],
  [{ withdrawals: 5 }, 'number into Go struct field BlockOverrides.Withdrawals of type types.Withdrawals'],
])("parseBlockOverrides refuses %j with geth's message", (json, reason) => {
  expect(() => parseBlockOverrides(json)).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ reason: `json: cannot unmarshal ${reason}` }) }),
  );
});

test.each([
  [{ blockStateCalls: 5 }, 'number into Go struct field simOpts.BlockStateCalls of type []ethapi.simBlock'],
  [
    { blockStateCalls: [{ calls: [{ gas: 5 }] }] },
    'non-string into Go struct field TransactionArgs.BlockStateCalls.Calls.gas of type hexutil.Uint64',
  ],
  [
    { blockStateCalls: [{ stateOverrides: { [address]: { nonce: 5 } } }] },
    'non-string into Go struct field OverrideAccount.BlockStateCalls.StateOverrides.nonce of type hexutil.Uint64',
  ],
  [
    { blockStateCalls: [{ blockOverrides: { withdrawals: [{ index: 5 }] } }] },
    'non-string into Go struct field BlockOverrides.BlockStateCalls.BlockOverrides.Withdrawals.index of type hexutil.Uint64',
  ],
  [{ validation: 5 }, 'number into Go struct field simOpts.Validation of type bool'],
])("parseSimulation refuses %j with geth's message", (json, reason) => {
  expect(() => parseSimulation(json)).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ reason: `json: cannot unmarshal ${reason}` }) }),
  );
});

describe('parseBlockOverrides', () => {
  test('parses every field', () => {
    expect(
      parseBlockOverrides({ number: '0x1', time: '0x2', feeRecipient: address, prevRandao: word, blobBaseFee: '0x0' }),
    ).toEqual({ number: 1n, time: 2n, feeRecipient: lower, prevRandao: word.toLowerCase(), blobBaseFee: 0n });
  });

  test("refuses fields of simulations with geth's message", () => {
    expect(() => parseBlockOverrides({ beaconRoot: word })).toThrow(
      expect.objectContaining({
        code: 'OVERRIDE_INVALID',
        message: 'block override "beaconRoot" is not supported for this RPC method',
      }),
    );
    expect(() => parseBlockOverrides({ time: '0x10000000000000000' })).toThrow(
      'blockOverrides.time: expected a hexadecimal quantity without leading zeros such as "0x5208", 64 bits',
    );
  });
});

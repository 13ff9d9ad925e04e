import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseCallRequest } from './parse-call-request.ts';
import { parseBlockOverrides, parseStateOverrides } from './parse-overrides.ts';

const address = `0x${'Aa'.repeat(20)}`;
const lower = address.toLowerCase();
const word = `0x${'00'.repeat(31)}2A`;

describe('parseCallRequest', () => {
  test('reads every field; null and unknown ones are passed over', () => {
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
      accessList: [{ address, storageKeys: [word] }, { address }],
      maxFeePerBlobGas: '0x3',
      blobVersionedHashes: [word],
      authorizationList: [{ chainId: '0x1', address, nonce: '0x0', v: '0x1', r: '0x5', s: '0x6' }],
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
    [{ gas: '21000' }, 'call.gas: expected a hexadecimal quantity without leading zeros such as "0x5208", got "21000"'],
    [{ gas: 100000 }, 'call.gas: expected a hexadecimal quantity'],
    [{ to: '0x12' }, 'call.to: expected 20 hexadecimal bytes'],
    [{ input: '0x1' }, 'call.input: expected hexadecimal bytes'],
    [{ input: '0x01', data: '0x02' }, 'call.data: expected the same as call.input'],
    [{ accessList: [{ address: '0x' }] }, 'call.accessList[0].address: expected 20'],
    [{ accessList: Array(10_001).fill({ address }) }, 'call.accessList: expected at most 10000 entries, got 10001'],
    [{ blobVersionedHashes: ['0x'] }, 'call.blobVersionedHashes[0]: expected 32'],
    [{ authorizationList: [{}] }, 'call.authorizationList[0].chainId: expected'],
  ])('refuses %j', (json, message) => {
    expect(() => parseCallRequest(json)).toThrow(message);
  });

  test('asks for from where the network wants it, and says both ways out', () => {
    expect(() => parseCallRequest({ to: address }, { requireFrom: true })).toThrow(
      /^call\.from: .*Give your client an account, or set "requireFrom": false/,
    );
    expect(parseCallRequest({ from: address }, { requireFrom: true })).toEqual({ from: lower });
  });

  test('answers any JSON with a call or VALUE_INVALID', () => {
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
  test('reads every field', () => {
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
    [{ [address]: { state: {}, stateDiff: {} } }, `stateOverrides.${lower}.stateDiff: expected to be absent`],
  ])('refuses %j', (json, message) => {
    expect(() => parseStateOverrides(json)).toThrow(message);
  });
});

describe('parseBlockOverrides', () => {
  test('reads every field', () => {
    expect(
      parseBlockOverrides({ number: '0x1', time: '0x2', feeRecipient: address, prevRandao: word, blobBaseFee: '0x0' }),
    ).toEqual({ number: 1n, time: 2n, feeRecipient: lower, prevRandao: word.toLowerCase(), blobBaseFee: 0n });
  });

  test('refuses what only simulations have, in words of geth', () => {
    expect(() => parseBlockOverrides({ beaconRoot: word })).toThrow(
      expect.objectContaining({
        code: 'OVERRIDE_INVALID',
        message: 'block override "beaconRoot" is not supported for this RPC method',
      }),
    );
    expect(() => parseBlockOverrides({ time: '0x10000000000000000' })).toThrow('blockOverrides.time: expected seconds');
  });
});

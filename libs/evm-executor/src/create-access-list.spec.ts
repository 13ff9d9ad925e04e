import { describe, expect, test } from '@jest/globals';
import { createAccessList } from './create-access-list.ts';
import { executeCall } from './execute-call.ts';
import { alice, codes, contract, optionsFor, other, specAt, testHeader } from './test-chain.fixture.ts';

const slot = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}` as const;
/** Balance that covers the gas cap at a fee of a few wei. */
const rich = { [alice]: { balance: 10n ** 18n } };

test('lists slots of the contract and other accounts, with the gas of a message that has the list', async () => {
  // Reads slot 7, and the balance of `other`.
  const code = `0x60075473${other.slice(2)}3100` as const;
  const call = { from: alice, to: contract };
  const { accessList, gasUsed } = await createAccessList(optionsFor(call, { ...rich, [contract]: { code } }));
  expect(accessList).toEqual([
    { address: contract, storageKeys: [slot(7n)] },
    { address: other, storageKeys: [] },
  ]);
  const again = await executeCall(optionsFor({ ...call, accessList }, { [contract]: { code } }));
  expect(again).toMatchObject({ kind: 'success', gasUsed });
});

test('for code whose slot depends on GAS, lists the slot that is read with the list', async () => {
  // Reads slot GAS / 1,000.
  const accounts = { ...rich, [contract]: { code: '0x6103e85a0454' } } as const;
  const gas = 1_000_000n;
  const { accessList, gasUsed } = await createAccessList(optionsFor({ from: alice, to: contract, gas }, accounts));
  // 21,000 intrinsic gas, 4,300 for the list, 5 before GAS returns.
  expect(accessList).toEqual([{ address: contract, storageKeys: [slot((gas - 25_305n) / 1_000n)] }]);
  expect(gasUsed).toBe(25_410n);
});

test('a failure is reported beside the list', async () => {
  const accounts = { ...rich, [contract]: { code: codes.relay }, [other]: { code: codes.refuse } };
  expect(await createAccessList(optionsFor({ from: alice, to: contract }, accounts))).toMatchObject({
    accessList: [{ address: other, storageKeys: [] }],
    error: 'execution reverted',
  });
  const ofOther = await createAccessList(optionsFor({ from: alice, to: other }, accounts));
  expect(ofOther).toMatchObject({ accessList: [] });
});

test('a given list loses the addresses that are warm anyway and keeps the others', async () => {
  const entry = (address: `0x${string}`) => ({ address, storageKeys: [slot(1n)] });
  const accessList = [entry(alice), entry(other), entry(contract), entry(`0x${'00'.repeat(19)}01`)];
  const call = { from: alice, to: contract, accessList };
  expect((await createAccessList(optionsFor(call, rich))).accessList).toEqual([entry(other)]);
});

describe('fees and funds, as in geth', () => {
  const refusal = (call: object, accounts = {}) =>
    createAccessList({ ...optionsFor({ from: alice, to: other, gas: 21_000n, ...call }, accounts), tip: 1n });

  test('a sender without funds is refused with the hash of the transaction', async () => {
    await expect(refusal({})).rejects.toMatchObject({
      code: 'CALL_FUNDS_INSUFFICIENT',
      // A tip of 1 above twice the base fee of 7.
      message: expect.stringMatching(
        /^failed to apply transaction: 0x[0-9a-f]{64} err: insufficient funds for gas \* price \+ value: address 0x[0-9a-fA-F]{40} have 0 want 315000$/,
      ),
    });
  });

  test('a call with a tip only gets a maximum fee', async () => {
    await expect(refusal({ maxPriorityFeePerGas: 3n })).rejects.toThrow('have 0 want 357000');
    const balance = 357_000n;
    const paid = await refusal({ maxPriorityFeePerGas: 3n }, { [alice]: { balance } });
    expect(paid).toMatchObject({ gasUsed: 21_000n });
  });

  test.each([
    [{ gasPrice: 0n }, 'gasPrice must be non-zero after london fork'],
    [{ maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }, 'maxFeePerGas must be non-zero'],
    [{ maxFeePerGas: 1n, maxPriorityFeePerGas: 2n }, 'maxFeePerGas (0x1) < maxPriorityFeePerGas (0x2)'],
    [{ maxFeePerBlobGas: 0n }, 'maxFeePerBlobGas, if specified, must be non-zero'],
    [{ gasPrice: 9n, authorizationList: [] }, 'both gasPrice and authorizationList specified'],
    [{ gasPrice: 9n, maxFeePerGas: 9n }, 'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified'],
  ])('refuses %j', async (call, message) => {
    await expect(refusal(call)).rejects.toMatchObject({ message });
  });

  test('refuses fees of EIP-1559 before London', async () => {
    const { baseFeePerGas, ...header } = testHeader;
    const options = { ...optionsFor({ from: alice, to: other, maxFeePerGas: 1n }), spec: specAt('berlin'), header };
    await expect(createAccessList(options)).rejects.toThrow('are not valid before London is active');
  });

  test('refuses authorizations that cost more than the gas limit', async () => {
    const authorization = { chainId: 1n, address: other, nonce: 0n, yParity: 0n, r: 1n, s: 1n };
    await expect(refusal({ gas: 49_999n, authorizationList: [authorization, authorization] })).rejects.toMatchObject({
      message: 'insufficient gas to process all authorizations',
    });
  });
});

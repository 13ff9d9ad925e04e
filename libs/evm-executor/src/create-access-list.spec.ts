import { expect, test } from '@jest/globals';
import { createAccessList } from './create-access-list.ts';
import { executeCall } from './execute-call.ts';
import { alice, codes, contract, optionsFor, other } from './test-chain.fixture.ts';

const slot = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}` as const;

test('names slots of the contract and other accounts, and costs what it says', async () => {
  // Reads slot 7, and the balance of `other`.
  const code = `0x60075473${other.slice(2)}3100` as const;
  const call = { from: alice, to: contract };
  const { accessList, gasUsed } = await createAccessList(optionsFor(call, { [contract]: { code } }));
  expect(accessList).toEqual([
    { address: contract, storageKeys: [slot(7n)] },
    { address: other, storageKeys: [] },
  ]);
  const again = await executeCall(optionsFor({ ...call, accessList }, { [contract]: { code } }));
  expect(again).toMatchObject({ kind: 'success', gasUsed });
});

test('a slot that is read only when its list is known is found as well', async () => {
  // Reads the slot whose number is the gas left divided by 1,000: each round reads others until the list stays.
  const code = '0x6103e85a0454' as const;
  const { accessList } = await createAccessList(optionsFor({ to: contract }, { [contract]: { code } }));
  expect(accessList[0]?.storageKeys.length).toBeGreaterThan(1);
});

test('a failure is told beside the list', async () => {
  const accounts = { [contract]: { code: codes.relay }, [other]: { code: codes.refuse } };
  expect(await createAccessList(optionsFor({ to: contract }, accounts))).toMatchObject({
    accessList: [{ address: other, storageKeys: [] }],
    error: 'execution reverted',
  });
  expect(await createAccessList(optionsFor({ to: other }, accounts))).toMatchObject({ accessList: [] });
});

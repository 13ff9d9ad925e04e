import { type Hex, hexFromBytes } from '@cairn/block-model';
import { expect, test } from '@jest/globals';
import { addressOf, holder, TestChain, testAccounts, token, word } from './test-chain.fixture.ts';
import { verifyAccount } from './verify-account.ts';

const { state, head: header } = new TestChain(testAccounts);
const slots = [word(1), word(3)];
const failsWith = (code: string) => expect.objectContaining({ code });
const read = (proof: unknown, address: Hex, wanted: readonly Hex[] = []) =>
  verifyAccount(proof, { header, address, slots: wanted });

test('verifyAccount reads balance, nonce and slots from proofs', () => {
  expect(read(state.proofOf(holder, []), holder).account).toMatchObject({ balance: 10n ** 18n, nonce: 3n });
  expect(read(state.proofOf(token, slots), token, slots).slots).toEqual([word(1), word(0)]);
});

test('verifyAccount proves that an account is absent', () => {
  const absent = addressOf('ee');
  expect(read(state.proofOf(absent, slots), absent, slots)).toEqual({ account: undefined, slots: [word(0), word(0)] });
});

test('verifyAccount ignores the stated values', () => {
  const proof = { ...state.proofOf(holder, []), balance: '0x1', nonce: '0x1', codeHash: word(1) };
  expect(read(proof, holder).account).toMatchObject({ balance: 10n ** 18n, nonce: 3n });
});

test.each<[string, string, (proof: ReturnType<typeof state.proofOf>) => unknown]>([
  ['the proof of another account', 'PROOF_INVALID', () => state.proofOf(holder, slots)],
  ['no account proof', 'PROOF_INVALID', (proof) => ({ ...proof, accountProof: [] })],
  [
    'a shorter account proof',
    'PROOF_INVALID',
    (proof) => ({ ...proof, accountProof: proof.accountProof.slice(0, -1) }),
  ],
  [
    'a changed node',
    'PROOF_INVALID',
    (proof) => ({ ...proof, accountProof: proof.accountProof.with(-1, hexFromBytes(new Uint8Array(40))) }),
  ],
  [
    'a proof that repeats a node',
    'PROOF_INVALID',
    (proof) => ({ ...proof, accountProof: Array(1_000_000).fill(proof.accountProof[0]) }),
  ],
  [
    'the proof of another slot',
    'PROOF_INVALID',
    (proof) => ({ ...proof, storageProof: proof.storageProof.toReversed() }),
  ],
  ['a missing slot', 'ANSWER_MALFORMED', (proof) => ({ ...proof, storageProof: proof.storageProof.slice(1) })],
  ['a node that is no hex', 'ANSWER_MALFORMED', (proof) => ({ ...proof, accountProof: ['0xzz'] })],
  ['null', 'ANSWER_MALFORMED', () => null],
])('verifyAccount refuses %s', (_, code, lie) => {
  expect(() => read(lie(state.proofOf(token, slots)), token, slots)).toThrow(failsWith(code));
});

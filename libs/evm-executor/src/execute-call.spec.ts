import { bytesFromHex, type Hex, hexFromBytes } from '@cairn/block-model';
import { generateAddress } from '@ethereumjs/util';
import { describe, expect, test } from '@jest/globals';
import { alice, callCode, callTest, codes, contract, other, testHeader } from './test-chain.fixture.ts';

const ether = 10n ** 18n;
const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`;
const outputOf = async (result: ReturnType<typeof callTest>) => {
  const settled = await result;
  return settled.kind === 'success' ? BigInt(settled.output) : settled;
};

describe('gas', () => {
  test('the code gets the gas limit minus the intrinsic gas', async () => {
    expect(await outputOf(callCode(codes.gas, { gas: 100_000n }))).toBe(100_000n - 21_000n - 2n);
  });

  test('defaults to the cap and never exceeds it', async () => {
    const capped = 10n * testHeader.gasLimit - 21_000n - 2n;
    expect(await outputOf(callCode(codes.gas))).toBe(capped);
    expect(await outputOf(callCode(codes.gas, { gas: 2n ** 200n }))).toBe(capped);
    expect(await outputOf(callCode(codes.gas, {}, { limits: { gasCapMultiplier: 1 } }))).toBe(30_000_000n - 21_002n);
  });

  test('gasUsed includes the floor and refunds, as for a transaction', async () => {
    expect(await callTest({ to: other })).toMatchObject({ kind: 'success', output: '0x', gasUsed: 21_000n });
    // EIP-7623: the floor is 40 gas for each of 7 bytes.
    expect(await callTest({ to: other, data: '0xffffffffffffff' })).toMatchObject({ gasUsed: 21_280n });
    // Clears a slot: 2,100 + 2,900 + 5 for the code, minus a refund of 4,800.
    const cleared = callCode('0x5f5f5500', {}, { accounts: { [contract]: { storage: { [word(0n)]: word(1n) } } } });
    expect(await cleared).toMatchObject({ kind: 'success', gasUsed: 21_000n + 5_004n - 4_800n });
  });
});

describe('calls that a node refuses', () => {
  const rich = { accounts: { [alice]: { balance: ether } } };
  test.each([
    ['CALL_GAS_TOO_LOW', 'err: intrinsic gas too low: have 20999, want 21000 (supplied gas 20999)', { gas: 20_999n }],
    [
      'CALL_GAS_BELOW_FLOOR',
      'insufficient gas for floor data gas cost: have 21120, want 21280',
      { gas: 21_120n, data: '0xffffffffffffff' },
    ],
    ['CALL_FUNDS_INSUFFICIENT', 'have 1000000000000000000 want 1000000000000000001', { value: ether + 1n }],
    ['CALL_FUNDS_INSUFFICIENT', 'required balance exceeds 256 bits', { value: 2n ** 256n - 1n, gasPrice: 7n }],
    [
      'CALL_FEES_MIXED',
      'both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified',
      { gasPrice: 9n, maxFeePerGas: 9n },
    ],
    ['CALL_FEE_BELOW_BASE', 'max fee per gas less than block base fee: address 0x', { maxFeePerGas: 6n }],
    ['CALL_FEE_BELOW_BASE', 'max fee per gas less than block base fee: address 0x', { gasPrice: 6n }],
    [
      'CALL_FEE_INVALID',
      'max priority fee per gas higher than max fee per gas: address 0x',
      { maxFeePerGas: 8n, maxPriorityFeePerGas: 9n },
    ],
    ['CALL_CHAIN_ID_MISMATCH', "chainId does not match node's (have=1, want=1337)", { chainId: 1n }],
    ['CALL_BLOBS_INVALID', 'blob transaction missing blob hashes', { blobVersionedHashes: [] }],
    ['CALL_BLOBS_INVALID', 'blob 0 has invalid hash version', { blobVersionedHashes: [word(1n)] }],
    [
      'CALL_BLOBS_INVALID',
      'err: blob transaction has too many blobs (supplied gas 300000000)',
      { blobVersionedHashes: Array<Hex>(7).fill(`0x01${'00'.repeat(31)}`) },
    ],
    ['CALL_AUTHORIZATIONS_INVALID', 'EIP-7702 transaction with empty auth list (sender 0x', { authorizationList: [] }],
  ] as const)('%s: %s', async (code, message, call) => {
    await expect(callTest({ from: alice, to: other, ...call }, rich)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
      hint: expect.any(String),
    });
  });

  test('init code over the limit', async () => {
    const data: Hex = `0x${'00'.repeat(49_153)}`;
    await expect(callTest({ data })).rejects.toMatchObject({
      code: 'CALL_INITCODE_TOO_LARGE',
      message: 'err: max initcode size exceeded: code size 49153 limit 49152 (supplied gas 300000000)',
    });
  });
});

describe('prices', () => {
  const rich = { accounts: { [alice]: { balance: ether } } };
  test('BASEFEE is zero for a call without a price and real for a call with one', async () => {
    expect(await outputOf(callCode('0x485f5260205ff3', { from: alice }, rich))).toBe(0n);
    expect(await outputOf(callCode('0x485f5260205ff3', { from: alice, gas: 50_000n, gasPrice: 7n }, rich))).toBe(7n);
  });

  test('GASPRICE is the effective gas price of a transaction', async () => {
    const fees = { from: alice, gas: 50_000n, maxFeePerGas: 100n, maxPriorityFeePerGas: 2n };
    expect(await outputOf(callCode('0x3a5f5260205ff3', fees, rich))).toBe(9n);
  });

  test('the upfront price is deducted from the sender while the code runs', async () => {
    const result = callCode('0x32315f5260205ff3', { from: alice, gas: 50_000n, gasPrice: 7n, value: 5n }, rich);
    expect(await outputOf(result)).toBe(ether - 350_000n - 5n);
  });
});

describe('how code ends', () => {
  test('a revert has data, reason and message, also when a nested revert is propagated', async () => {
    const accounts = { [other]: { code: codes.refuse } };
    const expected = { kind: 'revert', reason: 'no', message: 'execution reverted: no' };
    expect(await callCode(codes.refuse)).toMatchObject(expected);
    expect(await callCode(codes.relay, {}, { accounts })).toMatchObject(expected);
    expect(await callCode('0x5f5ffd')).toMatchObject({ kind: 'revert', data: '0x', message: 'execution reverted' });
  });

  test.each([
    ['invalid opcode: INVALID', '0xfe'],
    ['invalid opcode: opcode 0xc not defined', '0x0c'],
    ['stack underflow (0 <=> 2)', '0x01'],
    ['stack underflow (1 <=> 3)', '0x5ff0'],
    ['stack underflow (2 <=> 17)', '0x5f5f9f'],
    ['stack limit reached 1024 (1023)', '0x5b5f5f56'],
    ['invalid jump destination', '0x600456'],
    ['out of gas', '0x5b5f56'],
    ['return data out of bounds', '0x60015f5f3e'],
  ] as const)('%s', async (reason, code) => {
    expect(await callCode(code, { gas: 60_000n })).toMatchObject({ kind: 'halt', reason, gasUsed: 60_000n });
  });

  test('a failing precompile halts and does not revert', async () => {
    const blake2f: Hex = `0x${'09'.padStart(40, '0')}`;
    expect(await callTest({ to: blake2f })).toMatchObject({ kind: 'halt', reason: 'invalid input length' });
    const blsG1Add: Hex = `0x${'0b'.padStart(40, '0')}`;
    expect(await callTest({ to: blsG1Add, data: '0x00' })).toMatchObject({
      kind: 'halt',
      reason: 'invalid input length',
    });
  });

  test('a creation returns the code that it would deploy, and halts on forbidden code', async () => {
    expect(await callTest({ data: '0x602a5f5260205ff3' })).toMatchObject({ kind: 'success', output: word(42n) });
    // The address derives from the nonce of the sender before the call.
    const accounts = { [alice]: { nonce: 3n } };
    const address = hexFromBytes(generateAddress(bytesFromHex(alice), Uint8Array.of(3)));
    expect(await callTest({ from: alice, data: '0x305f5260205ff3' }, { accounts })).toMatchObject({
      output: `0x${address.slice(2).padStart(64, '0')}`,
    });
    // 0xef as the first byte (EIP-3541).
    expect(await callTest({ data: '0x60ef5f5360015ff3' })).toMatchObject({
      kind: 'halt',
      reason: 'invalid code: must not begin with 0xef',
    });
  });
});

describe('isolation of calls', () => {
  test('a call leaves slots, nonces and balances unchanged', async () => {
    const options = { accounts: { [contract]: { code: codes.count }, [alice]: { balance: 10n, nonce: 3n } } };
    const { createMemoryState } = await import('@cairn/block-model/testing');
    const state = createMemoryState(options.accounts);
    for (let round = 0; round < 3; round++) {
      expect(await outputOf(callTest({ from: alice, to: contract, value: 4n }, { state }))).toBe(0n);
    }
    // CREATE derives the same address each time: keccak(rlp([contract, 0])).
    const created = await Promise.all([callCode('0x5f5f5ff05f5260205ff3'), callCode('0x5f5f5ff05f5260205ff3')]);
    expect(created[0]).toEqual(created[1]);
  });

  test('200 concurrent calls each see their own origin', async () => {
    const senders = Array.from({ length: 200 }, (_, index) => BigInt(index + 1));
    const results = senders.map((sender) =>
      outputOf(callCode(codes.origin, { from: `0x${sender.toString(16).padStart(40, '0')}` })),
    );
    expect(await Promise.all(results)).toEqual(senders);
  });

  test('a failed state read fails its call and not the next one', async () => {
    const broken = {
      getAccount: () => ({ nonce: 0n, balance: 0n, codeHash: new Uint8Array(32).fill(1) }),
      getCode: () => {
        throw new Error('corrupt');
      },
      getStorage: () => new Uint8Array(0),
    };
    await expect(callTest({ to: contract }, { state: broken })).rejects.toThrow('corrupt');
    expect(await outputOf(callCode(codes.gas, { gas: 30_000n }))).toBe(8_998n);
  });
});

describe('blocks', () => {
  test('BLOCKHASH returns overridden parentHash for the number of the header', async () => {
    const { number, hash } = testHeader;
    const code: Hex = `0x60${number.toString(16)}405f5260205ff3`;
    const after = { number: number + 1n };
    const blockOverrides = { ...after, parentHash: hash };
    expect(await outputOf(callCode(code, {}, { blockOverrides }))).toBe(BigInt(hash));
    // Like geth: an overridden number alone does not make the header an ancestor.
    expect(await outputOf(callCode(code, {}, { blockOverrides: after }))).toBe(0n);
  });

  test('BLOCKHASH looks up the 256 blocks before and no other', async () => {
    const asked: bigint[] = [];
    const blockHashes = (number: bigint) => {
      asked.push(number);
      return word(number + 1000n);
    };
    const blockhash = (number: number): Hex => `0x60${number.toString(16).padStart(2, '0')}405f5260205ff3`;
    expect(await outputOf(callCode(blockhash(99), {}, { blockHashes }))).toBe(1099n);
    expect(await outputOf(callCode(blockhash(100), {}, { blockHashes }))).toBe(0n);
    const header = { ...testHeader, number: 300n };
    expect(await outputOf(callCode(blockhash(43), {}, { blockHashes, header }))).toBe(0n);
    expect(await outputOf(callCode(blockhash(44), {}, { blockHashes, header }))).toBe(1044n);
    expect(asked).toEqual([99n, 44n]);
  });

  test.each([
    ['number', '0x43', { number: 7n }, 7n],
    ['time', '0x42', { time: 8n }, 8n],
    ['gas limit', '0x45', { gasLimit: 9n }, 9n],
    ['coinbase', '0x41', { feeRecipient: alice }, BigInt(alice)],
    ['prevRandao', '0x44', { prevRandao: word(10n) }, 10n],
    ['blob base fee', '0x4a', { blobBaseFee: 11n }, 11n],
  ] as const)('overrides: %s', async (_, opcode, blockOverrides, expected) => {
    const code: Hex = `${opcode}5f5260205ff3`;
    expect(await outputOf(callCode(code, {}, { blockOverrides }))).toBe(expected);
    expect(await outputOf(callCode(code))).not.toBe(expected);
  });
});

import { bytesFromHex, type Header, type Hex, hexFromBytes } from '@cairn/block-model';
import { executeCall } from '@cairn/evm-executor';
import { encodeRlp } from '@cairn/rlp';
import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  addressOf,
  balanceOf,
  codeOfC6,
  headersTo,
  holder,
  TestChain,
  testAccounts,
  testSpec,
  token,
  word,
} from './test-chain.fixture.ts';
import { verifyCall } from './verify-call.ts';
import type { CallMessageJson } from './witness/call-message.ts';
import { type CallWitness, decodeCallWitness, encodeCallWitness } from './witness/call-witness.ts';

const chain = new TestChain(testAccounts);
const options = { blockHash: chain.head.hash, chain: testSpec };
const failsWith = (code: string) => expect.objectContaining({ code });

const calls: readonly (readonly [string, CallMessageJson, object])[] = [
  ['a token balance', balanceOf, { kind: 'success', output: word(5006) }],
  [
    'a call within a call',
    { call: { ...(balanceOf.call as object), to: addressOf('c5') } },
    { kind: 'success', output: word(5006) },
  ],
  ['an absent account', { call: { to: addressOf('ee') } }, { kind: 'success', output: '0x' }],
  [
    'the hash of the parent',
    { call: { to: addressOf('c1'), data: word(9) } },
    { kind: 'success', output: chain.headers[9]?.hash },
  ],
  [
    'the hash of an old block',
    { call: { to: addressOf('c1'), data: word(2) } },
    { kind: 'success', output: chain.headers[2]?.hash },
  ],
  ['the hash of a future block', { call: { to: addressOf('c1'), data: word(11) } }, { output: word(0) }],
  ['the size of a code', { call: { to: addressOf('c3'), data: word(BigInt(token)) } }, { output: word(20) }],
  ['a revert', { call: { to: addressOf('c2'), data: '0xdeadbeef' } }, { kind: 'revert', data: '0xdeadbeef' }],
  ['a call without end', { call: { to: addressOf('c4'), gas: '0x186a0' } }, { kind: 'halt', gasUsed: 100_000n }],
  ['creation code', { call: { data: '0x60016000f3' } }, { kind: 'success', output: '0x00' }],
  [
    'a value above the balance',
    { call: { from: holder, to: token, value: '0xffffffffffffffffffff' } },
    { kind: 'refusal', code: 'CALL_FUNDS_INSUFFICIENT' },
  ],
  [
    'overrides',
    {
      ...balanceOf,
      stateOverrides: { [token]: { code: '0x435f5260205ff3' }, [holder]: { balance: '0x1' } },
      blockOverrides: { number: '0x4d2' },
    },
    { kind: 'success', output: word(1234) },
  ],
];

describe('verifyCall', () => {
  test.each(calls)('verifies %s', async (_, message, expected) => {
    const { result, header } = await verifyCall(await chain.witnessOf(message), { ...options, message });
    expect(result).toMatchObject(expected);
    expect(header.hash).toBe(chain.head.hash);
  });

  test('accepts the hex of a JSON-RPC result', async () => {
    const witness = hexFromBytes(await chain.witnessOf(balanceOf));
    expect((await verifyCall(witness, options)).result).toMatchObject({ output: word(5006) });
  });

  test('ignores nodes and codes that the call does not read', async () => {
    const parts = await chain.partsOf(balanceOf);
    const more = await chain.partsOf({ call: { to: addressOf('c2') } });
    const surplus = { ...parts, nodes: [...parts.nodes, ...more.nodes], codes: [...parts.codes, ...more.codes] };
    expect((await verifyCall(encodeCallWitness(surplus), options)).result).toMatchObject({ output: word(5006) });
  });

  test('ends a call at its time limit', async () => {
    const witness = await chain.witnessOf({ call: { to: addressOf('c4'), gas: '0x989680' } });
    await expect(verifyCall(witness, { ...options, timeoutMs: 0 })).rejects.toEqual(failsWith('EXECUTION_TIMEOUT'));
  });
});

describe('verifyCall refuses', () => {
  let parts: CallWitness;
  let hashes: CallWitness;
  beforeAll(async () => {
    parts = await chain.partsOf(balanceOf);
    hashes = await chain.partsOf({ call: { to: addressOf('c1'), data: word(2) } });
  });
  const lie = (change: (parts: CallWitness) => Partial<CallWitness>, of = () => parts) =>
    verifyCall(encodeCallWitness({ ...of(), ...change(of()) }), options);

  test.each<[string, string, (parts: CallWitness) => Partial<CallWitness>]>([
    ['another output', 'RESULT_DIFFERS', ({ result }) => ({ result: { ...result, output: word(5007) } as never })],
    [
      'another gas',
      'RESULT_DIFFERS',
      ({ result }) => ({ result: { ...result, gasUsed: result.gasUsed + 1n } as never }),
    ],
    ['a revert', 'RESULT_DIFFERS', () => ({ result: { kind: 'revert', data: '0x', message: '', gasUsed: 1n } })],
    ['a halt', 'RESULT_DIFFERS', () => ({ result: { kind: 'halt', reason: 'out of gas', gasUsed: 1n } })],
    [
      'a refusal',
      'RESULT_DIFFERS',
      () => ({ result: { kind: 'refusal', code: 'CALL_NONCE_SPENT', message: 'x', gasUsed: 0n } }),
    ],
    ['no header', 'WITNESS_INCOMPLETE', () => ({ headers: [] })],
    ['the header of another block', 'BLOCK_UNTRUSTED', () => ({ headers: [(chain.headers[3] as Header).raw] })],
    [
      'a header with another state root',
      'BLOCK_UNTRUSTED',
      () => ({ headers: [(headersTo(10, { stateRoot: word(1) })[10] as Header).raw] }),
    ],
    [
      'an unlinked ancestor',
      'ANCESTOR_UNLINKED',
      ({ headers }) => ({ headers: [...headers, (chain.headers[2] as Header).raw] }),
    ],
    ['no code', 'WITNESS_INCOMPLETE', () => ({ codes: [] })],
    ['another code', 'WITNESS_INCOMPLETE', () => ({ codes: [Uint8Array.of(0x5f, 0x5f, 0xf3)] })],
    ['no node', 'WITNESS_INCOMPLETE', () => ({ nodes: [] })],
    ['another chain id', 'CHAIN_MISMATCH', () => ({ chainId: 1n })],
  ])('%s', async (_, code, change) => {
    await expect(lie(change)).rejects.toEqual(failsWith(code));
  });

  test('a witness that lacks any one of its nodes', async () => {
    for (const missing of parts.nodes)
      await expect(lie(({ nodes }) => ({ nodes: nodes.filter((node) => node !== missing) }))).rejects.toEqual(
        failsWith('WITNESS_INCOMPLETE'),
      );
  });

  test('ancestors that end before the hash that the call reads', async () => {
    await expect(
      lie(
        ({ headers }) => ({ headers: headers.slice(0, -1) }),
        () => hashes,
      ),
    ).rejects.toEqual(failsWith('WITNESS_INCOMPLETE'));
    await expect(
      lie(
        ({ headers }) => ({ headers: headers.toSpliced(3, 1) }),
        () => hashes,
      ),
    ).rejects.toEqual(failsWith('ANCESTOR_UNLINKED'));
  });

  test('a witness for another call', async () => {
    const message = { call: { ...(balanceOf.call as object), from: holder } };
    await expect(verifyCall(encodeCallWitness(parts), { ...options, message })).rejects.toEqual(
      failsWith('REQUEST_DIFFERS'),
    );
  });

  test('the rules of a chain from the witness', async () => {
    await expect(verifyCall(encodeCallWitness(parts), { blockHash: chain.head.hash })).rejects.toEqual(
      failsWith('CHAIN_MISMATCH'),
    );
  });
});

describe('decodeCallWitness refuses', () => {
  const refuses = (witness: Uint8Array | string, code: string) =>
    expect(() => decodeCallWitness(witness)).toThrow(failsWith(code));

  test.each<[string, Uint8Array | string]>([
    ['no bytes', new Uint8Array(0)],
    ['text that is no hex', '0xzz'],
    ['an odd number of digits', '0x123'],
    ['bytes that are no RLP', Uint8Array.of(0xff, 1)],
    ['a list without the name', encodeRlp([Uint8Array.of(1)])],
    // A depth of 1,000,000: the decoder refuses before it recurses.
    ['deeply nested lists', new Uint8Array(1_000_000).fill(0xc1).fill(0xc0, -1)],
    ['millions of values', encodeRlp(Array.from({ length: 600_000 }, () => new Uint8Array(0)))],
  ])('%s', (_, bytes) => refuses(bytes, 'WITNESS_MALFORMED'));

  test('a witness above the limit, before it is decoded', () => {
    refuses(new Uint8Array(33 * 1024 * 1024), 'WITNESS_TOO_LARGE');
    refuses(`0x${'00'.repeat(33 * 1024 * 1024)}`, 'WITNESS_TOO_LARGE');
  });

  test('every truncation', async () => {
    const witness = await chain.witnessOf(balanceOf);
    for (let length = 0; length < witness.length; length += 7)
      refuses(witness.subarray(0, length), 'WITNESS_MALFORMED');
  });

  test('another version', async () => {
    const witness = await chain.witnessOf(balanceOf);
    const at = witness.indexOf(1, 16);
    refuses(witness.with(at, 2), 'WITNESS_VERSION_UNSUPPORTED');
  });
});

test('encodeCallWitness and decodeCallWitness are inverse', async () => {
  for (const [, message] of calls) {
    const parts = await chain.partsOf(message);
    const decoded = decodeCallWitness(encodeCallWitness(parts));
    expect(decoded).toEqual(parts);
    expect(encodeCallWitness(decoded)).toEqual(encodeCallWitness(parts));
  }
});

test('every flip of a bit is refused or does not change the result', async () => {
  const witnesses = await Promise.all(
    calls.map(async ([, message]) => ({
      message,
      witness: await chain.witnessOf(message),
      parts: await chain.partsOf(message),
    })),
  );
  const codes = new Set<unknown>();
  await fc.assert(
    fc.asyncProperty(fc.nat(witnesses.length - 1), fc.nat(), fc.nat(7), async (which, at, bit) => {
      const { message, witness, parts } = witnesses[which] as (typeof witnesses)[number];
      const changed = witness.slice();
      changed[at % witness.length] = (changed[at % witness.length] as number) ^ (1 << bit);
      try {
        const { result } = await verifyCall(changed, { ...options, message, timeoutMs: 5_000 });
        expect(result).toEqual(parts.result);
      } catch (error) {
        const { code } = error as { code?: unknown };
        expect(error).toMatchObject({ name: 'VerifyError' });
        codes.add(code);
      }
    }),
    { numRuns: Number(process.env.FUZZ_RUNS ?? 1500) },
  );
  expect(codes.size).toBeGreaterThan(3);
});

test('verifyCall ignores code that another state has put into the cache of the process', async () => {
  const { reader } = chain.state;
  const lyingState = {
    getAccount: (address: Uint8Array) => reader.getAccount(address),
    getStorage: () => new Uint8Array(0),
    getCode: () => Uint8Array.of(0x5f, 0x5f, 0xf3),
  };
  const call = { to: addressOf('c6'), data: word(1) } as const;
  // No other test executes contract c6: its hash enters the shared cache with the wrong code.
  await executeCall({ spec: testSpec, header: chain.head, blockHashes: () => undefined, state: lyingState, call });
  const parts = await chain.partsOf({ call });
  // 21,350 is the floor of EIP-7623.
  const result = { kind: 'success', output: word(1), gasUsed: 21_350n } as const;
  const witness = encodeCallWitness({ ...parts, codes: [bytesFromHex(codeOfC6)], result });
  expect((await verifyCall(witness, options)).result).toEqual(result);
});

test('a witness verifies against the hash of its block only', async () => {
  const witness = await chain.witnessOf(balanceOf);
  for (const blockHash of [word(1), chain.head.parentHash] as Hex[])
    await expect(verifyCall(witness, { ...options, blockHash })).rejects.toEqual(failsWith('BLOCK_UNTRUSTED'));
});

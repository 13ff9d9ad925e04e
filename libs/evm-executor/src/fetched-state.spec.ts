import type { Hex } from '@cairn/block-model';
import { createMemoryState } from '@cairn/block-model/testing';
import { describe, expect, test } from '@jest/globals';
import { createEngine } from './engine/create-engine.ts';
import { executeCall } from './execute-call.ts';
import { FetchedState, type RemoteState } from './fetched-state.ts';
import { contract, other, testHeader, testSpec } from './test-chain.fixture.ts';

const pad = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`;
// `contract` returns the output of `other` plus its own slot 1; `other` returns the sum of its slots 2 and 3.
const accounts = {
  [contract]: {
    code: `0x60205f5f5f73${other.slice(2)}5afa505f516001540160205260206020f3` as Hex,
    storage: { [pad(1)]: pad(5) },
  },
  [other]: { code: '0x600254600354015f5260205ff3' as Hex, storage: { [pad(2)]: pad(30), [pad(3)]: pad(400) } },
};

function remote() {
  const state = createMemoryState(accounts);
  const reads: string[] = [];
  const later = <T>(name: string, value: T) => {
    reads.push(name);
    return new Promise<T>((resolve) => setImmediate(() => resolve(value)));
  };
  const reader: RemoteState = {
    getAccount: (address) => later('account', state.getAccount(address)),
    getCode: (codeHash) => later('code', state.getCode(codeHash)),
    getStorage: (address, slot) => later('slot', state.getStorage(address, slot)),
  };
  return { reader, reads };
}

const place = { spec: testSpec, header: testHeader, blockHashes: () => undefined, call: { to: contract } };

describe.each(['compiled', 'interpreter', 'ethereumjs'] as const)('FetchedState on the engine %s', (name) => {
  const engine = createEngine(name);

  test('has the same results as a synchronous state', async () => {
    const expected = await executeCall({ ...place, engine, state: createMemoryState(accounts) });
    expect(expected).toMatchObject({ kind: 'success', output: pad(435) });
    const { reader, reads } = remote();
    const state = new FetchedState(reader);
    const run = () => state.run(() => executeCall({ ...place, engine, state }));
    expect(await run()).toEqual(expected);
    expect(reads.filter((read) => read === 'slot')).toHaveLength(3);
    const { length } = reads;
    expect(await run()).toEqual(expected);
    expect(reads).toHaveLength(length);
  });

  test('propagates errors of the remote state', async () => {
    const getStorage = () => Promise.reject(new Error('The line is dead.'));
    const state = new FetchedState({ ...remote().reader, getStorage });
    await expect(state.run(() => executeCall({ ...place, engine, state }))).rejects.toThrow('The line is dead.');
  });
});

test('fetched data is not requested again', async () => {
  const { reader, reads } = remote();
  const state = new FetchedState(reader);
  const bytes = (hex: Hex) => Buffer.from(hex.slice(2), 'hex');
  await state.prefetch([
    { address: bytes(contract), slots: [bytes(pad(1))] },
    { address: bytes(other), slots: [pad(2), pad(3)].map(bytes) },
    { address: bytes(`0x${'00'.repeat(20)}`) },
    { address: bytes(testHeader.miner) },
  ]);
  const { length } = reads;
  let runs = 0;
  await state.run(() => {
    runs++;
    return executeCall({ ...place, state });
  });
  expect([runs, reads.length]).toEqual([1, length]);
});

test('a run ends when its signal aborts', async () => {
  const state = new FetchedState(remote().reader);
  const signal = AbortSignal.abort(new Error('gone'));
  await expect(state.run(() => executeCall({ ...place, state }), signal)).rejects.toThrow('gone');
});

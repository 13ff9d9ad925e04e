import { type CallEngine, createEngine } from '@cairn/evm';
import { createEthereumjsEngine } from '@cairn/evm-ethereumjs';
import { expect, test } from '@jest/globals';
import { callCode, codes } from '../test-chain.fixture.ts';
import { createReferenceEngine } from './reference-engine.ts';

const missing = new Error("Cannot find package '@cairn/evm-ethereumjs'");
const refuse = () => Promise.reject(missing);
const uncountable = 2n ** 53n;
const limits = { gasCapMultiplier: 2 ** 40 };

test('without its package, the reference engine fails and names the package to install', async () => {
  const refused = callCode(codes.gas, { gas: 100_000n }, { engine: createReferenceEngine(refuse) });
  await expect(refused).rejects.toMatchObject({
    code: 'ENGINE_UNAVAILABLE',
    message: 'The engine ethereumjs needs the package @cairn/evm-ethereumjs, which cannot be loaded.',
    hint: expect.stringContaining('Install @cairn/evm-ethereumjs'),
    details: { engine: 'ethereumjs', package: '@cairn/evm-ethereumjs' },
    cause: missing,
  });
});

test.each(['interpreter', 'compiled'] as const)(
  'without the package, the engine %s runs messages up to 2^53 - 1 gas and refuses larger ones',
  async (name) => {
    const engine = createEngine(name, createReferenceEngine(refuse));
    const call = (gas: bigint) => callCode(codes.gas, { gas: gas + 21_000n }, { engine, limits });
    expect(await call(uncountable - 1n)).toMatchObject({ kind: 'success' });
    await expect(call(uncountable)).rejects.toMatchObject({
      code: 'ENGINE_UNAVAILABLE',
      message:
        'The message has 9007199254740992 gas. Above 9007199254740991 it needs the package @cairn/evm-ethereumjs, which cannot be loaded.',
      hint: 'Set less gas for the call, lower gasCapMultiplier, or install @cairn/evm-ethereumjs.',
    });
  },
);

test('a failed import is tried again with the next message, and a successful one is kept', async () => {
  let imports = 0;
  const load = async (): Promise<CallEngine> => {
    imports++;
    if (imports === 1) throw missing;
    return createEthereumjsEngine();
  };
  const engine = createReferenceEngine(load);
  const call = () => callCode(codes.gas, { gas: 100_000n }, { engine });
  await expect(call()).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' });
  expect(await call()).toMatchObject({ kind: 'success' });
  expect(await call()).toMatchObject({ kind: 'success' });
  expect(imports).toBe(2);
});

import type { Header } from '@cairn/block-model';
import { expect, test } from '@jest/globals';
import { alice, codes, contract, optionsFor, other } from '../test-chain.fixture.ts';
import type { CallSource } from './call-source.ts';
import type { CallWitnessJob } from './execution-job.ts';
import { serveCallWitness } from './serve-call-witness.ts';

const call = { from: alice, to: contract };
const options = optionsFor(call, { [contract]: { code: codes.relay }, [other]: { code: codes.refuse } });
const job: CallWitnessJob = { kind: 'callWitness', chain: 'test', blockHash: '0x00', call, bytesMax: 1000 };
const node = (byte: number) => new Uint8Array(40).fill(byte);

function sourceOf(nodes: CallSource['witnessNodes']): CallSource {
  return { header: () => undefined, stateAt: () => undefined, ...(nodes && { witnessNodes: nodes }) };
}

test('serveCallWitness returns the result with header, codes and nodes, each once and in order', async () => {
  let read: readonly string[] = [];
  const source = sourceOf(async (_, { reads }) => {
    read = [...reads.keys()];
    return [node(3), node(1), node(3)];
  });
  const witness = await serveCallWitness(job, options, source);
  expect(witness.result).toMatchObject({ kind: 'revert', reason: 'no' });
  expect(witness.nodes).toEqual([node(1), node(3)]);
  expect(witness.codes).toHaveLength(2);
  expect(witness.headers).toEqual([options.header.raw]);
  expect(read).toEqual(expect.arrayContaining([alice, contract, other]));
});

test('serveCallWitness adds ancestors down to the child of the lowest block whose hash is read', async () => {
  // Returns the hash of block 97, the third ancestor.
  const code = '0x6061405f5260205ff3';
  const headers = new Map<string, Header>();
  for (let number = 99; number >= 90; number--)
    headers.set(`0x${number}`, {
      ...options.header,
      number: BigInt(number),
      parentHash: `0x${number - 1}`,
      raw: node(number),
    });
  const header: Header = { ...options.header, parentHash: '0x99', raw: node(100) };
  const source = { ...sourceOf(async () => []), header: (hash: string) => headers.get(hash) };
  const own = {
    ...optionsFor(call, { [contract]: { code } }),
    header,
    blockHashes: () => `0x${'11'.repeat(32)}` as const,
  };
  const witness = await serveCallWitness(job, own, source);
  expect(witness.headers).toEqual([node(100), node(99), node(98)]);
});

test('serveCallWitness has a result for a call that nodes refuse', async () => {
  const refused = { ...options, call: { ...call, value: 10n ** 20n } };
  const { result, gasUsed } = await serveCallWitness(
    job,
    refused,
    sourceOf(async () => []),
  );
  expect(result).toMatchObject({ kind: 'refusal', code: 'CALL_FUNDS_INSUFFICIENT' });
  expect(gasUsed).toBe(0n);
});

test('serveCallWitness refuses a witness above its limit, and a source without trie nodes', async () => {
  const large = sourceOf(async () => Array.from({ length: 30 }, (_, byte) => node(byte)));
  await expect(serveCallWitness(job, options, large)).rejects.toMatchObject({ code: 'WITNESS_TOO_LARGE' });
  await expect(serveCallWitness(job, options, sourceOf(undefined))).rejects.toMatchObject({
    code: 'STATE_UNAVAILABLE',
  });
});

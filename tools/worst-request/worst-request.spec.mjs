import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createRandom } from '../differential/random.mjs';
import { mutateGenes, sampleGenes } from './domains.mjs';
import * as gateway from './gateway/generators.mjs';
import { junkOf } from './gateway/junk.mjs';
import { methodParams } from './gateway/params.mjs';
import { hurtful } from './hurtful.mjs';
import { createLog } from './log.mjs';
import { confirm, search, worstOf } from './search.mjs';
import { makeBlock, makeDag } from './storage/dags.mjs';
import * as storage from './storage/generators.mjs';

const sample = JSON.parse(readFileSync(new URL('../sample-network/network/contracts.json', import.meta.url), 'utf8'));
const gatewayWorld = {
  sample,
  account: { id: 'a', key: 'k' },
  hashes: [sample.head],
  transactions: [sample.head],
  rawBlocks: ['0xc0'],
};
const storageWorld = {
  request: (path, body) => ({ path, ...body }),
  dag: async (genes) =>
    makeDag({ ...genes, above: Math.min(genes.above ?? 0, 3), beside: Math.min(genes.beside ?? 0, 3) }).root,
  tree: async () => {},
  pins: async () => {},
};

test('every command of the storage API has a generator, and every generator a command', () => {
  assert.deepEqual(Object.keys(storage.commandRequests).sort(), [...storage.commandNames].sort());
});

test('every method of the gateway has a generator, and every generator a method', () => {
  assert.deepEqual(Object.keys(methodParams).sort(), [...gateway.methodNames].sort());
});

test('every option of a command is a gene of its generator', () => {
  const { genes } = storage.generators.find(({ name }) => name === 'add');
  for (const option of ['--chunker', '--trickle', '--max-file-links', '--inline-limit'])
    assert.ok(option in genes, option);
});

for (const [name, { generators }, world] of [
  ['gateway', gateway, gatewayWorld],
  ['storage', storage, storageWorld],
]) {
  test(`every generator of the ${name} makes a request from any genes, the same from the same genes`, async () => {
    const random = createRandom(1);
    for (const generator of generators) {
      let genes = small(sampleGenes(generator.genes, random));
      for (let step = 0; step < 3; step++) {
        // Genes pass through JSON, as on the line that repeats a request.
        const again = JSON.parse(JSON.stringify(genes));
        const [one, other] = [await generator.make(genes, world), await generator.make(again, world)];
        assert.deepEqual(one, other, `${generator.name} ${JSON.stringify(genes)}`);
        assert.match(one.path, /^\/(api\/v0|v3|ws)/);
        genes = small(mutateGenes(generator.genes, genes, random));
      }
    }
  });
}

/** Genes of requests that are created quickly. */
function small(genes) {
  const numbers = Object.entries(genes).map(([name, value]) => [
    name,
    typeof value === 'number' ? Math.min(value, 40) : value,
  ]);
  return Object.fromEntries(numbers);
}

test('a seed always results in the same genes', () => {
  const draw = () => {
    const random = createRandom(7);
    return gateway.generators.map(({ genes }) => sampleGenes(genes, random));
  };
  assert.deepEqual(draw(), draw());
});

test('blocks of every shape are within the block size limit', () => {
  const { shape } = storage.generators.find(({ name }) => name === 'dag/put').genes;
  const random = createRandom(3);
  const names = new Set(Array.from({ length: 500 }, () => shape.sample(random)));
  for (const each of names) {
    const { bytes } = makeBlock({ shape: each, count: 2_000_000 });
    assert.ok(bytes.length <= 2 * 1024 * 1024, `${each}: ${bytes.length}`);
  }
});

test('fixed requests name existing generators', () => {
  for (const [service, generators] of [
    ['storage', storage.generators],
    ['gateway', gateway.generators],
  ])
    for (const { name } of hurtful[service])
      assert.ok(
        generators.some((generator) => generator.name === name),
        name,
      );
});

test('texts that should be valid JSON parse', () => {
  for (const name of [
    'keys',
    'indexKeys',
    'slotKeys',
    'escapes',
    'backslashes',
    'wide',
    'doubles',
    'fraction',
    'blanks',
  ])
    assert.doesNotThrow(() => JSON.parse(junkOf(name, 1000)), name);
});

test('the search finds an expensive request by mutation of expensive ones', async () => {
  const random = createRandom(5);
  const { integer, oneOf } = await import('./domains.mjs');
  const generators = ['a', 'b', 'c'].map((name) => ({
    name,
    genes: { size: integer(0, 1_000_000), kind: oneOf('x', 'y') },
  }));
  let asked = 0;
  const measure = async ({ name, genes }) => {
    asked++;
    const blockMs = name === 'b' && genes.kind === 'y' ? genes.size / 1000 : 0;
    return { blockMs, stallMs: 0, mainMs: 0, cpuMs: 0, memoryMib: 0, afterMs: 0, durationMs: 0, credits: 1 };
  };
  const start = Date.now();
  const end = { valueOf: () => (asked < 300 ? start + 1e9 : 0) };
  const measured = await search({ generators, measure, random, end });
  assert.equal(measured[0].name, 'b');
  assert.ok(measured[0].cost > 900, String(measured[0].cost));
  const confirmed = await confirm(measured, measure);
  assert.deepEqual(confirmed.map(({ name }) => name)[0], 'b');
  assert.equal(worstOf(measured).length, 3);
});

test('the log separates failures of the service from requests, across chunks of output', () => {
  const log = createLog();
  const mark = log.mark();
  log.onOutput('{"level":30,"credits":5,"acc');
  log.onOutput('ount":"a"}\n{"level":50,"msg":"request failed"}\n(node:1) Warning: leak\n');
  assert.deepEqual(log.since(mark)[0], { level: 30, credits: 5, account: 'a' });
  assert.deepEqual(
    log.errorsSince(mark).map(({ msg }) => msg),
    ['request failed', '(node:1) Warning: leak'],
  );
});

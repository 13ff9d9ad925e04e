import { mutateGenes, sampleGenes } from './domains.mjs';
import { costOf, smallestOf } from './measure.mjs';

/** Number of requests that the search mutates. */
const eliteMax = 24;

/**
 * Searches for the request that costs a service most: first one random request of every generator, then alternately
 * random ones and mutations of the most expensive so far.
 * @param {{ generators: readonly Generator[], measure: (found: Found) => Promise<object>, random: object, end: number, fixed?: readonly Found[],
 *   onMeasured?: (found: object) => void }} options `fixed`: requests to begin with; `end`: time of day in milliseconds
 * @typedef {{ name: string, genes: Readonly<Record<string, object>>, make: Function }} Generator
 * @typedef {{ name: string, genes: object }} Found
 * @returns {Promise<object[]>} what was measured, the most expensive first
 */
export async function search({ generators, measure, random, end, fixed = [], onMeasured = () => {} }) {
  const byName = new Map(generators.map((generator) => [generator.name, generator]));
  const drawn = (generator) => ({ name: generator.name, genes: sampleGenes(generator.genes, random) });
  const measured = [];
  let elite = [];
  const first = [...fixed, ...shuffled(generators, random).map(drawn)];
  for (let turn = 0; Date.now() < end; turn++) {
    const parent = elite.length > 0 && random.chance(0.6) ? random.pick(elite) : undefined;
    const found =
      first[turn] ??
      (parent === undefined
        ? drawn(random.pick(generators))
        : { name: parent.name, genes: mutateGenes(byName.get(parent.name).genes, parent.genes, random) });
    const result = { ...found, ...(await measure(found)) };
    const entry = { ...result, cost: costOf(result) };
    measured.push(entry);
    elite = eliteOf([...elite, entry]);
    onMeasured(entry);
  }
  return measured.sort((one, other) => other.cost - one.cost);
}

/**
 * Keeps the most expensive, at most three of each generator: otherwise mutations of one request would fill the list.
 */
function eliteOf(entries) {
  return worstOf(entries, 3).slice(0, eliteMax);
}

/** Measures the most expensive of each generator again, because the load of the machine increases some by chance. */
export async function confirm(measured, measure, { count = 10, times = 2 } = {}) {
  const confirmed = [];
  for (const entry of worstOf(measured).slice(0, count + 5)) {
    const results = [entry];
    for (let time = 0; time < times; time++) results.push(await measure(entry));
    const result = smallestOf(results);
    confirmed.push({ ...result, cost: costOf(result) });
  }
  return worstOf(confirmed).slice(0, count);
}

/** Returns the most expensive first, at most `each` of each generator. */
export function worstOf(entries, each = 1) {
  const seen = new Map();
  return [...entries]
    .sort((one, other) => other.cost - one.cost)
    .filter(({ name }) => {
      seen.set(name, (seen.get(name) ?? 0) + 1);
      return seen.get(name) <= each;
    });
}

function shuffled(items, random) {
  return items
    .map((item) => ({ item, order: random.next() }))
    .sort((one, other) => one.order - other.order)
    .map(({ item }) => item);
}

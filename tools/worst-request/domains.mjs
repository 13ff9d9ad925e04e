/**
 * Sets of values of a gene of a request. `sample` draws one, `mutate` draws one near another.
 * @typedef {{ sample: (random: Random) => unknown, mutate: (value: unknown, random: Random) => unknown }} Domain
 * @typedef {ReturnType<typeof import('../differential/random.mjs').createRandom>} Random
 */

/** Integers; sizes and counts are drawn by their logarithm, so that small and huge ones are equally likely. */
export function integer(min, max) {
  const clamp = (value) => Math.max(min, Math.min(max, Math.round(value)));
  return {
    sample(random) {
      if (random.chance(0.15)) return random.pick([min, max]);
      return clamp(min + Math.expm1(random.next() * Math.log1p(max - min)));
    },
    mutate(value, random) {
      return clamp(value * random.pick([0.5, 0.9, 1.1, 2, 4]) + random.integer(-1, 1));
    },
  };
}

/** One item of a list. */
export function oneOf(...values) {
  const sample = (random) => random.pick(values);
  return { sample, mutate: (_, random) => sample(random) };
}

export const flag = oneOf(false, true);

/** A value of the domain, or none. */
export function optional(domain, probability = 0.4) {
  const sample = (random) => (random.chance(probability) ? domain.sample(random) : undefined);
  return {
    sample,
    mutate: (value, random) =>
      value === undefined || random.chance(0.2) ? sample(random) : domain.mutate(value, random),
  };
}

/** Draws a value for every gene. */
export function sampleGenes(domains, random) {
  return defined(Object.entries(domains).map(([name, domain]) => [name, domain.sample(random)]));
}

/** Draws new values for one to three genes. */
export function mutateGenes(domains, genes, random) {
  const names = Object.keys(domains);
  if (names.length === 0) return genes;
  const changed = { ...genes };
  for (let left = random.integer(1, 3); left > 0; left--) {
    const name = random.pick(names);
    changed[name] = domains[name].mutate(genes[name], random);
  }
  return defined(Object.entries(changed));
}

function defined(entries) {
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

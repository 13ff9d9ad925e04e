/**
 * A seeded source of random choices (mulberry32): the same seed gives the same cases on every machine.
 * @param {number} seed an unsigned 32-bit integer
 */
export function createRandom(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let word = state;
    word = Math.imul(word ^ (word >>> 15), word | 1);
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61);
    return ((word ^ (word >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (min, max) => min + Math.floor(next() * (max - min + 1));
  return {
    /** A number from 0 to 1, 1 excluded. */
    next,
    /** An integer from `min` to `max`, both included. */
    integer,
    /** True with the given probability. */
    chance: (probability) => next() < probability,
    /** One item of a list. */
    pick: (items) => items[integer(0, items.length - 1)],
    /** The items that a coin of the given probability chooses, in their order. */
    some: (items, probability = 0.5) => items.filter(() => next() < probability),
    /** Random bytes. */
    bytes: (length) => Uint8Array.from({ length }, () => integer(0, 255)),
  };
}

/**
 * Seeded random source (mulberry32): the same seed results in the same cases on every machine.
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
    /** Returns a number from 0 to 1, 1 excluded. */
    next,
    /** Returns an integer from `min` to `max`, both included. */
    integer,
    /** Returns true with the given probability. */
    chance: (probability) => next() < probability,
    /** Returns one item of a list. */
    pick: (items) => items[integer(0, items.length - 1)],
    /** Returns a random subset in order; each item with the given probability. */
    some: (items, probability = 0.5) => items.filter(() => next() < probability),
    /** Returns random bytes. */
    bytes: (length) => Uint8Array.from({ length }, () => integer(0, 255)),
  };
}

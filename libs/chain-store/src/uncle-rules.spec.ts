import { type Header, type Hex, unclesHash } from '@cairn/block-model';
import { describe, expect, test } from '@jest/globals';
import { type Ancestor, validateUncles } from './uncle-rules.ts';

const hash = (text: string): Hex => `0x${Buffer.from(text).toString('hex').padStart(64, '0')}`;
const noUncles = unclesHash([]);

/** Returns nine blocks, a0 to a8, each the parent of the next. */
function chain(): Map<Hex, Ancestor> {
  const blocks = new Map<Hex, Ancestor>();
  for (let number = 0; number < 9; number++) {
    const header = headerOf(`a${number}`, `a${number - 1}`);
    blocks.set(header.hash, { header, uncles: [] });
  }
  return blocks;
}

/** Returns a header with the fields that the rules read: hash, parent and hash of the uncles. */
function headerOf(name: string, parent: string, uncles: Hex = noUncles): Header {
  return { hash: hash(name), parentHash: hash(parent), unclesHash: uncles } as Header;
}

function check(uncles: readonly Header[], blocks = chain()): void {
  const block = { header: headerOf('new', 'a8'), uncles };
  validateUncles({ block, ancestor: (parent) => blocks.get(parent), validate: () => {} });
}

describe('validateUncles', () => {
  test('accepts two children of ancestors up to six generations above the parent', () => {
    expect(() => check([headerOf('u1', 'a7'), headerOf('u2', 'a2')])).not.toThrow();
  });

  test.each<[string, readonly Header[], RegExp]>([
    ['a third uncle', ['x', 'y', 'z'].map((name) => headerOf(name, 'a5')), /3 uncles/],
    ['a repeated uncle', [headerOf('u', 'a5'), headerOf('u', 'a5')], /named by a block before or twice/],
    ['an ancestor', [headerOf('a6', 'a5')], /is its ancestor/],
    ['a sibling', [headerOf('u', 'a8')], /not an ancestor within 6 generations/],
    ['a child of a block seven generations below', [headerOf('u', 'a1')], /not an ancestor within 6 generations/],
    ['a child of an unknown block', [headerOf('u', 'b1')], /not an ancestor within 6 generations/],
  ])('refuses %s', (_name, uncles, message) => {
    expect(() => check(uncles)).toThrow(message);
  });

  test('refuses an uncle that an ancestor includes', () => {
    const blocks = chain();
    const uncle = headerOf('u', 'a4');
    blocks.set(hash('a6'), { header: headerOf('a6', 'a5', hash('a list of uncles')), uncles: [uncle] });
    expect(() => check([uncle], blocks)).toThrow(/named by a block before or twice/);
  });

  test('refuses an uncle whose header does not follow its parent, with the reason', () => {
    const blocks = chain();
    const block = { header: headerOf('new', 'a8'), uncles: [headerOf('u', 'a5')] };
    const validate = () => {
      throw new Error('its number is 3, not 6');
    };
    expect(() => validateUncles({ block, ancestor: (parent) => blocks.get(parent), validate })).toThrow(
      /uncle .* is not valid: its number is 3, not 6/,
    );
  });
});

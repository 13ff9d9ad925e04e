import { describe, expect, test } from '@jest/globals';
import { PlainApiError } from './api-error.ts';
import { parseDuration, parseOptions } from './options.ts';

const specs = {
  pin: { kind: 'boolean', default: true },
  offset: { kind: 'integer', type: 'int64', min: 0, max: 100, alias: 'o' },
  name: { kind: 'text' },
  nocopy: { kind: 'refused', reason: 'there are no files to refer to' },
} as const;
const parse = (query: string) => parseOptions(specs, new URLSearchParams(query));

describe('parseOptions', () => {
  test('parses the values that Kubo accepts and ignores unknown options', () => {
    expect(parse('')).toEqual({ pin: true, offset: undefined, name: undefined, nocopy: undefined });
    expect(parse('pin=false&offset=7&name=x&stream-channels=true')).toEqual({
      pin: false,
      offset: 7,
      name: 'x',
      nocopy: undefined,
    });
    expect(parse('pin=').pin).toBe(true);
    expect(parse('pin=tRuE').pin).toBe(true);
    expect(parse('o=0x1_0').offset).toBe(16);
    expect(parse('offset=012').offset).toBe(10);
    expect(parse('nocopy=false').nocopy).toBeUndefined();
  });

  test.each(['offset=-1', 'offset=101', `name=${'x'.repeat(1025)}`, 'nocopy=true'])(
    'refuses %s, naming the option',
    (query) => {
      const name = query.split('=')[0] ?? '';
      expect(() => parse(query)).toThrow(
        expect.objectContaining({ status: 400, message: expect.stringContaining(`"${name}"`) }),
      );
    },
  );
});

// Recorded from Kubo 0.42.0.
test.each([
  ['pin=maybe', 'could not convert value "maybe" to type "bool" (for option "-pin")'],
  ['offset=1.5', 'could not convert value "1.5" to type "int64" (for option "-offset")'],
  ['offset=', 'could not convert empty value to type "int64" (for option "-offset")'],
  ['o=x', 'could not convert value "x" to type "int64" (for option "-offset")'],
  [`offset=${'9'.repeat(20)}`, `could not convert value "${'9'.repeat(20)}" to type "int64" (for option "-offset")`],
  ['pin=true&pin=true', 'expected key pin to have only a single value, received [true true]'],
  ['offset=1&offset=0', 'expected key offset to have only a single value, received [1 0]'],
])('parseOptions refuses %s in the words of Kubo', (query, message) => {
  expect(() => parse(query)).toThrow(new PlainApiError(400, message));
});

describe('parseDuration', () => {
  test.each([
    ['30s', 30_000],
    ['1m30s', 90_000],
    ['250ms', 250],
    ['1.5h', 5_400_000],
    ['1us', 1],
    ['.5s', 500],
    ['0s', 0],
    ['0', 0],
    ['-1s', 0],
    ['9999h', 2 ** 31 - 1],
  ])('%s', (text, milliseconds) => {
    expect(parseDuration('timeout', text)).toBe(milliseconds);
  });

  test.each(['', '5', 's', '1x', '1s garbage', 'x'.repeat(100_000)])('refuses %j', (text) => {
    expect(() => parseDuration('timeout', text)).toThrow(expect.objectContaining({ status: 400 }));
  });
});

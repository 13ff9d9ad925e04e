import { describe, expect, test } from '@jest/globals';
import { parseDuration, parseOptions } from './options.ts';

const specs = {
  pin: { kind: 'boolean', default: true },
  offset: { kind: 'integer', min: 0, max: 100 },
  name: { kind: 'text' },
  nocopy: { kind: 'refused', reason: 'there are no files to refer to' },
} as const;
const parse = (query: string) => parseOptions(specs, new URLSearchParams(query));

describe('parseOptions', () => {
  test('reads what Kubo takes; the last of repeated ones counts; unknown ones are passed over', () => {
    expect(parse('')).toEqual({ pin: true, offset: undefined, name: undefined, nocopy: undefined });
    expect(parse('pin=false&offset=7&name=x&stream-channels=true')).toEqual({
      pin: false,
      offset: 7,
      name: 'x',
      nocopy: undefined,
    });
    expect(parse('pin=false&pin=1').pin).toBe(true);
    expect(parse('pin=').pin).toBe(true);
    expect(parse('nocopy=false').nocopy).toBeUndefined();
  });

  test.each([
    'pin=maybe',
    'offset=-1',
    'offset=101',
    'offset=1.5',
    'offset=',
    `offset=${'9'.repeat(400)}`,
    `name=${'x'.repeat(1025)}`,
    'nocopy=true',
  ])('refuses %s, naming the option', (query) => {
    const name = query.split('=')[0] ?? '';
    expect(() => parse(query)).toThrow(
      expect.objectContaining({ status: 400, message: expect.stringContaining(`"${name}"`) }),
    );
  });
});

describe('parseDuration', () => {
  test.each([
    ['30s', 30_000],
    ['1m30s', 90_000],
    ['250ms', 250],
    ['1.5h', 5_400_000],
    ['1us', 1],
  ])('%s', (text, milliseconds) => {
    expect(parseDuration('timeout', text)).toBe(milliseconds);
  });

  test.each(['', '5', 's', '-1s', '1x', '0s', '1s garbage', 'x'.repeat(100_000)])('refuses %j', (text) => {
    expect(() => parseDuration('timeout', text)).toThrow(expect.objectContaining({ status: 400 }));
  });
});

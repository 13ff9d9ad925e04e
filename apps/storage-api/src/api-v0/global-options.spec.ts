import { expect, test } from '@jest/globals';
import { PlainApiError } from './api-error.ts';
import { parseGlobalOptions, upgradeCids } from './global-options.ts';

const parse = (query: string) => parseGlobalOptions(new URLSearchParams(query));

test('parseGlobalOptions parses the options of every command', () => {
  expect(parse('timeout=3s&enc=text&offline=1&arg=x')).toMatchObject({
    timeout: '3s',
    encoding: 'text',
    offline: true,
  });
  expect(parse('').encoding).toBe('json');
});

// Recorded from Kubo 0.42.0.
test.each([
  ['encoding=protobuf', 'invalid encoding: protobuf'],
  ['encoding=JSON', 'invalid encoding: JSON'],
  ['encoding=', 'invalid encoding: '],
  ['enc=nope', 'invalid encoding: nope'],
  ['stream-channels=x', 'could not convert value "x" to type "bool" (for option "-stream-channels")'],
  ['timeout=1s&timeout=2s', 'expected key timeout to have only a single value, received [1s 2s]'],
])('parseGlobalOptions refuses %s in the words of Kubo', (query, message) => {
  expect(() => parse(query)).toThrow(new PlainApiError(400, message));
});

test.each([
  ['upgrade-cidv0-in-output=true', 'base32'],
  ['upgrade-cidv0-in-output=true&cid-base=base58btc', 'base58btc'],
  ['upgrade-cidv0-in-output=false', null],
  ['arg=x', null],
])('upgradeCids of %s prints in the base %s', (text, base) => {
  const query = new URLSearchParams(text);
  upgradeCids(query, parseGlobalOptions(query));
  expect(query.get('cid-base')).toBe(base);
});

import { expect, test } from '@jest/globals';
import { parsePin } from './parse-pin.ts';
import { parsePinFilter } from './pin-filter.ts';

const cid = 'bafkreiden7wsdvgquvpbdxxmx7l7xu563zwtf2pvgrk5kxvnnedabtwwdy';

test('parsePin keeps known fields, drops others, and takes null for an absent one', () => {
  const pin = { cid, name: 'n', origins: ['/dns4/a/tcp/1', '/dns4/a/tcp/1'], meta: { app: 'x' } };
  expect(parsePin({ ...pin, other: 1 })).toEqual({ ...pin, origins: ['/dns4/a/tcp/1'] });
  expect(parsePin({ cid, name: null, origins: null, meta: null })).toEqual({ cid });
});

test.each([
  [null, 'not a pin object'],
  [[], 'not a pin object'],
  [{}, 'cid is missing'],
  [{ cid: 5 }, 'cid is of type number'],
  [{ cid: 'x'.repeat(100_000) }, 'longer than'],
  [{ cid, name: '🐳'.repeat(256) }, 'name has 256 characters; expected at most 255'],
  [{ cid, origins: 'x' }, 'origins is not a list of texts'],
  [{ cid, origins: [5] }, 'origins is not a list of texts'],
  [{ cid, origins: Array.from({ length: 21 }, (_, index) => `/ip4/1.1.1.${index}`) }, 'origins has 21 multiaddrs'],
  [{ cid, origins: ['/'.repeat(1001)] }, 'an origin has 1001 characters'],
  [{ cid, meta: { app: 5 } }, 'meta is not an object of texts'],
  [{ cid, meta: ['x'] }, 'meta is not an object of texts'],
  [
    { cid, meta: Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [index, ''])) },
    'meta has 1001 attributes',
  ],
])('parsePin refuses a wrong pin: case %#', (body, message) => {
  expect(() => parsePin(body)).toThrow(
    expect.objectContaining({ status: 400, message: expect.stringContaining(message) }),
  );
});

test('a pin has 255 characters of two UTF-16 units in its name', () => {
  expect(parsePin({ cid, name: '🐳'.repeat(255) })).toMatchObject({ cid });
});

test.each([
  [`cid=${Array(11).fill(cid).join(',')}`, 'cid has 11 CIDs; expected at most 10'],
  ['cid=', 'CID'],
  ['match=like', 'match is "like"; expected one of exact, iexact, partial, ipartial'],
  [`name=${'n'.repeat(256)}`, 'name has 256 characters'],
  ['status=', 'status is ""'],
  ['meta=x', 'meta is "x"; expected an object in JSON'],
  ['meta=[1]', 'meta is not an object of texts'],
  ['limit=0', 'limit is "0"; expected a whole number from 1 to 1000'],
  ['before=now', 'before is "now"; expected a time of RFC 3339'],
])('parsePinFilter refuses %s', (query, message) => {
  expect(() => parsePinFilter(new URLSearchParams(query))).toThrow(message);
});

test('parsePinFilter takes lists with commas or several parameters, and CIDs once', () => {
  const filter = parsePinFilter(new URLSearchParams(`cid=${cid}&cid=${cid}&status=queued,failed&status=pinned`));
  expect(filter.cids).toHaveLength(1);
  expect([...filter.statuses]).toEqual(['queued', 'failed', 'pinned']);
  expect([...parsePinFilter(new URLSearchParams()).statuses]).toEqual(['pinned']);
});

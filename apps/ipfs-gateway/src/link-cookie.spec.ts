import { expect, test } from '@jest/globals';
import { linkCookie, linkOfCookie, linkOfTarget } from './link-cookie.ts';

const browser = { headers: { 'sec-fetch-dest': 'document' }, isHttps: false };

test('the cookie of a path gateway is limited to the signed path', () => {
  expect(
    linkCookie('1.a.b', '/ipfs/bafy/größe', { ...browser, target: '/ipfs/bafy/gr%C3%B6%C3%9Fe?cairn-link=1.a.b' }),
  ).toBe('cairn-link=1.a.b; Path=/ipfs/bafy/gr%C3%B6%C3%9Fe; HttpOnly; SameSite=Lax');
});

test('the cookie of a subdomain covers its origin, and is Secure with TLS', () => {
  expect(linkCookie('1.a.b', '/ipfs/bafy', { ...browser, isHttps: true, target: '/?cairn-link=1.a.b' })).toBe(
    'cairn-link=1.a.b; Path=/; HttpOnly; SameSite=Lax; Secure',
  );
});

test('a client that is no browser gets no cookie', () => {
  expect(linkCookie('1.a.b', '/ipfs/bafy', { ...browser, headers: {}, target: '/ipfs/bafy' })).toBeUndefined();
});

test.each([
  ['cairn-link=1.a-_.b', '1.a-_.b'],
  ['other=1; cairn-link=1.a.b; more=2', '1.a.b'],
  ['not-cairn-link=1.a.b', undefined],
  ['cairn-link=', undefined],
  [undefined, undefined],
])('the link in the Cookie field %j is %j', (cookie, expected) => {
  expect(linkOfCookie(cookie)).toBe(expected);
});

test('the link in a target is a parameter of the query only', () => {
  expect(linkOfTarget('/ipfs/bafy/cairn-link=1?x=2')).toBeUndefined();
  expect(linkOfTarget('/ipfs/bafy?format=raw&cairn-link=1.a.b')).toBe('1.a.b');
});

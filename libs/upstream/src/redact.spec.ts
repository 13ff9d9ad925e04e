import { expect, test } from '@jest/globals';
import { createRedactor } from './redact.ts';

const redactor = createRedactor(
  new URL('https://user:p%40ss%22word@node.example/v3/0123456789abcdef?apikey=secret-key&x=1'),
);

test.each([
  ['the key 0123456789abcdef is not valid', 'the key *** is not valid'],
  ['GET /v3/0123456789abcdef?apikey=secret-key', 'GET /v3/***?apikey=***'],
  ['user:p%40ss%22word and p@ss"word', '***:*** and ***'],
  ['Basic dXNlcjpwQHNzIndvcmQ=', 'Basic ***'],
  ['the method v3 does not exist at node.example', 'the method v3 does not exist at node.example'],
])('credentials are replaced in %s', (text, expected) => {
  expect(redactor.text(text)).toBe(expected);
});

test('credentials are replaced in each value of JSON, and other values stay as they are', () => {
  const data = { seen: ['0123456789abcdef', { 'p@ss"word': 7 }] };
  expect(redactor.json(data)).toEqual({ seen: ['***', { '***': 7 }] });
  const other = { reason: 'none', list: [1, null] };
  expect(redactor.json(other)).toBe(other);
  expect([redactor.json(undefined), redactor.json(3), redactor.json('0xab')]).toEqual([undefined, 3, '0xab']);
});

test('a URL without credentials changes nothing, and a malformed escape is no error', () => {
  const plain = createRedactor(new URL('http://127.0.0.1:8545/'));
  expect(plain.text('http://127.0.0.1:8545/ : is refused')).toBe('http://127.0.0.1:8545/ : is refused');
  expect(createRedactor(new URL('http://a/%zz-abcdefg')).text('at %zz-abcdefg')).toBe('at ***');
});

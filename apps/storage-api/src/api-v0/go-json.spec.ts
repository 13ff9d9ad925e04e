import { expect, test } from '@jest/globals';
import { goJson } from './go-json.ts';

// Output of Kubo 0.42 for `files/rm`.
test.each([
  [
    '/a&b<c>ü"\'\u2028x\\y\t: file does not exist',
    String.raw`"/a\u0026b\u003cc\u003eü\"'\u2028x\\y\t: file does not exist"`,
  ],
  [
    'no& is not a valid path: paths must start with a leading slash',
    String.raw`"no\u0026 is not a valid path: paths must start with a leading slash"`,
  ],
  [{ Name: 'a&b<', Size: '11' }, String.raw`{"Name":"a\u0026b\u003c","Size":"11"}`],
  ['\u2029', String.raw`"\u2029"`],
  [{ Err: '', n: [1, null] }, '{"Err":"","n":[1,null]}'],
])('goJson writes %j as Go does', (value, json) => {
  expect(goJson(value)).toBe(json);
  expect(JSON.parse(json)).toEqual(value);
});

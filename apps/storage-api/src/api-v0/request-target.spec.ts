import { describe, expect, test } from '@jest/globals';
import { PlainApiError } from './api-error.ts';
import type { Command } from './command.ts';
import { checkArgs, cleanUrl, RequestTargets } from './request-target.ts';

const named = (name: string): Command => ({
  name,
  scope: 'read',
  options: {},
  args: { name: 'ipfs-path', min: 0, max: 1 },
  run: async () => {},
});

describe('RequestTargets', () => {
  const targets = new RequestTargets(['refs', 'refs/local', 'pin/ls'].map(named));

  test('find returns the command, or the command above with the last part as its argument', () => {
    expect(targets.find('refs/local')).toMatchObject({ command: { name: 'refs/local' }, pathArgs: [] });
    expect(targets.find('refs/Qm1')).toMatchObject({ command: { name: 'refs' }, pathArgs: ['Qm1'] });
    expect(targets.find('refs/local/')).toMatchObject({ command: { name: 'refs/local' }, pathArgs: [''] });
    expect(targets.find('refs/a%20b')).toMatchObject({ pathArgs: ['a b'] });
    expect(targets.find('pin')).toEqual({ command: undefined, pathArgs: [] });
  });

  test.each(['', 'nosuch', 'pin/nosuch', 'refs/Qm1/more', 'refs/Qm1%2Fmore', 'constructor', '%zz'])(
    'find refuses %j as plain text',
    (path) => {
      expect(() => targets.find(path)).toThrow(PlainApiError);
      expect(() => targets.find(path)).toThrow(path === '%zz' ? /^400/ : '404 page not found');
    },
  );
});

describe('checkArgs', () => {
  const update = { args: { name: ['from-path', 'to-path'], min: 2, max: 2 } };

  test('checkArgs names a missing argument as Kubo does', () => {
    expect(() => checkArgs(update, [])).toThrow('argument "from-path" is required');
    expect(() => checkArgs(update, ['a'])).toThrow('argument "to-path" is required');
    expect(() => checkArgs({ args: { name: 'cid', min: 1, max: 1000 } }, [])).toThrow('argument "cid" is required');
  });

  test('checkArgs ignores arguments beyond a fixed number and bounds a list of arguments', () => {
    expect(checkArgs(update, ['a', 'b', 'c'])).toEqual(['a', 'b']);
    expect(checkArgs({ args: { name: 'none', min: 0, max: 0 } }, ['x'])).toEqual([]);
    expect(() => checkArgs({ args: { name: 'cid', min: 1, max: 2 } }, ['a', 'b', 'c'])).toThrow(/got 3/);
  });
});

test.each([
  ['//api/v0/add?pin=false', '/api/v0/add?pin=false'],
  ['/api//v0/add', '/api/v0/add'],
  ['/api/v0//cat/?arg=a//b', '/api/v0/cat/?arg=a//b'],
  ['/api/v0/./x/../version', '/api/v0/version'],
  ['///api/v0/cat/a%2F%2Fb', '/api/v0/cat/a%2F%2Fb'],
  ['/api/v0/cat?arg=/ipfs//a/./b/..', undefined],
  ['/api/v0/.../..x', undefined],
  ['//other.example/api/v0/add', undefined],
  ['/api/v0/../../other', undefined],
])('the address of %s is cleaned to %s', (url, clean) => {
  expect(cleanUrl(url, '/api/v0/')).toBe(clean);
});

import { describe, expect, test } from '@jest/globals';
import { parseOptions } from '../options.ts';
import { addOptions, entryMetadata, sendsEveryMetadata } from './add-options.ts';

const chosen = (query: string) => parseOptions(addOptions, new URLSearchParams(query));

describe('mode and time of an entry', () => {
  const own = { mode: 0o600, mtime: { seconds: 1 } };

  test('are those of the request, or what the part says where that is meant', () => {
    expect(entryMetadata(chosen('mode=0640'), own, false)).toEqual({ mode: 0o640 });
    expect(entryMetadata(chosen('mode=0640'), own, true)).toEqual({ mode: 0o640, mtime: { seconds: 1 } });
    expect(entryMetadata(chosen(''), own, false)).toEqual({});
    expect(entryMetadata(chosen('preserve-mode=true'), own, false)).toEqual({ mode: 0o600 });
    expect(entryMetadata(chosen('preserve-mtime=true&mtime=9'), own, false)).toEqual({ mtime: { seconds: 1 } });
  });

  test.each([
    ['kubo/0.40.1/', true],
    ['Go-http-client/1.1', true],
    ['/go-ipfs/0.4.23/', true],
    ['node', false],
    ['curl/8.5', false],
    [undefined, false],
  ])('clients in Go send them unasked: %s', (agent, expected) => {
    expect(sendsEveryMetadata(agent)).toBe(expected);
  });
});

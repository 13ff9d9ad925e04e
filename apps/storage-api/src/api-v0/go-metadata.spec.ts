import { describe, expect, test } from '@jest/globals';
import { goFileMode, goTime, modeFromGo, printStat } from './go-metadata.ts';

// Numbers as Kubo 0.42 printed them.
test.each([
  ['file', undefined, 0],
  ['file', 0o644, 420],
  ['file', 0o4755, 8_389_101],
  ['file', 0o1777, 1_049_087],
  ['directory', 0o755, 2_147_484_141],
  ['symlink', 0o777, 134_218_239],
] as const)('the mode of a %s with %p is %d in Go', (type, mode, expected) => {
  expect(goFileMode({ type, mode })).toBe(expected);
  if (mode !== undefined) expect(modeFromGo(expected)).toBe(mode);
});

test.each([
  [undefined, '0001-01-01T00:00:00Z'],
  [{ seconds: 0 }, '1970-01-01T00:00:00Z'],
  [{ seconds: 1_600_000_000, nanoseconds: 5_000_000 }, '2020-09-13T12:26:40.005Z'],
  [{ seconds: -5, nanoseconds: 250 }, '1969-12-31T23:59:55.00000025Z'],
])('the time %j is %s in JSON', (mtime, expected) => {
  expect(goTime(mtime)).toBe(expected);
});

test("formatting a time that Go's JSON cannot hold throws an error with its number", () => {
  for (const seconds of [253_402_300_800, -62_167_219_201, Number.MAX_SAFE_INTEGER])
    expect(() => goTime({ seconds })).toThrow(`${seconds}`);
});

describe('files/stat', () => {
  test.each([
    [{ type: 'file' }, {}],
    [
      { type: 'file', mode: 0o640, mtime: { seconds: 5, nanoseconds: 7 } },
      { Mode: '0640', Mtime: 5, MtimeNsecs: 7 },
    ],
    [{ type: 'directory', mode: 0o751 }, { Mode: '20000000751' }],
    [{ type: 'symlink' }, { Mode: '1000000777' }],
    [{ type: 'file', mtime: { seconds: 0, nanoseconds: 9 } }, { MtimeNsecs: 9 }],
  ] as const)('prints %j as %j', (node, expected) => {
    expect(printStat(node)).toEqual(expected);
  });
});

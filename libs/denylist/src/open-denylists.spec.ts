import { mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryBlockstore } from '@cairn/blockstore';
import { cidFor } from '@cairn/cid';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { findDenial } from './find-denial.ts';
import { type DenylistEvent, type Denylists, openDenylists } from './open-denylists.ts';
import { withDenylist } from './with-denylist.ts';

const cidOf = (name: string) => cidFor(Buffer.from(name), { codec: 'raw' });
const [one, two] = [cidOf('one'), cidOf('two')];

let directory: string;
let events: DenylistEvent[];
let open: Denylists | undefined;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-denylist-'));
  events = [];
});
afterEach(async () => {
  await open?.close();
  rmSync(directory, { recursive: true });
});

const write = (name: string, text: string) => {
  writeFileSync(join(directory, name), text);
  return join(directory, name);
};

async function start(...paths: readonly string[]): Promise<Denylists> {
  open = await openDenylists({ paths, pollMs: 1_000_000, onEvent: (event) => events.push(event) });
  return open;
}

test('a directory that is absent has no lists, and its files take effect when they appear', async () => {
  const list = await start(join(directory));
  expect(list.cid(one)).toBeUndefined();
  write('a.deny', `/ipfs/${one}`);
  write('a.txt', `/ipfs/${two}`);
  await list.refresh();
  expect([list.cid(one)?.line, list.cid(two)]).toEqual([1, undefined]);
  expect(list.files()).toEqual([{ file: join(directory, 'a.deny'), rules: 1 }]);
  expect((await start(join(directory, 'none'))).files()).toEqual([]);
});

test('files of a directory are in the order of their names', async () => {
  write('10-bad.deny', `/ipfs/${one}\n/ipfs/${two}`);
  write('50-local.deny', `!/ipfs/${one}`);
  const list = await start(directory);
  expect([list.cid(one), list.cid(two)?.line]).toEqual([undefined, 2]);
});

test('a replaced, an appended and a removed file take effect', async () => {
  const file = write('a.deny', `/ipfs/${one}\n`);
  const list = await start(directory);
  renameSync(write('new', `/ipfs/${two}\n`), file);
  await list.refresh();
  expect([list.cid(one), list.cid(two)?.line]).toEqual([undefined, 1]);
  writeFileSync(file, `/ipfs/${one} reason=legal\n`, { flag: 'a' });
  await list.refresh();
  expect(list.cid(one)).toEqual({ status: 451, file, line: 2 });
  unlinkSync(file);
  await list.refresh();
  expect([list.cid(one), list.cid(two)]).toEqual([undefined, undefined]);
  expect(events.map(({ type }) => type)).toEqual(['loaded', 'loaded', 'loaded', 'removed']);
});

test('a broken version is reported once, and the last good one stays in effect', async () => {
  const file = write('a.deny', `/ipfs/${one}\n`);
  const list = await start(file);
  write('a.deny', `version: 9\n---\n/ipfs/${two}\n`);
  await list.refresh();
  await list.refresh();
  expect([list.cid(one)?.line, list.cid(two)]).toEqual([1, undefined]);
  expect(events.map(({ type }) => type)).toEqual(['loaded', 'failed']);
  expect(events[1]).toMatchObject({ error: { message: expect.stringContaining(`${file}:1`) } });
  write('a.deny', `/ipfs/${two}\n`);
  await list.refresh();
  expect([list.cid(one), list.cid(two)?.line]).toEqual([undefined, 1]);
});

test('a file that the settings name stays in effect while it is absent', async () => {
  const file = write('a.deny', `/ipfs/${one}\n`);
  const list = await start(file);
  unlinkSync(file);
  await list.refresh();
  expect(list.cid(one)?.line).toBe(1);
});

test('a start without a named file, or with a broken one, fails', async () => {
  await expect(start(join(directory, 'none.deny'))).rejects.toMatchObject({ code: 'DENYLIST_INVALID' });
  write('b.deny', 'version: 9\n---\n');
  await expect(start(directory)).rejects.toMatchObject({ code: 'DENYLIST_INVALID' });
});

test('a start with a list that cannot be read advises about rights, not about the format', async () => {
  symlinkSync('loop.deny', join(directory, 'loop.deny'));
  await expect(start(directory)).rejects.toMatchObject({
    message: expect.stringMatching(/cannot be read: .*ELOOP/),
    hint: 'Check that the user of the service can read it and its directory.',
  });
});

test('a file is read by the poll when it has stopped changing', async () => {
  write('a.deny', `/ipfs/${one}\n`);
  const list = await openDenylists({ paths: [directory], pollMs: 5 });
  try {
    write('a.deny', `/ipfs/${two}\n`);
    while (list.cid(two) === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(list.cid(one)).toBeUndefined();
  } finally {
    await list.close();
  }
});

test('the process that finds a change makes the others read it', async () => {
  const listeners: ((value: unknown) => unknown)[] = [];
  const channel = {
    subscribe: (_: string, listener: (value: unknown) => unknown) => listeners.push(listener),
    inform: async (_: string, value: unknown) => void (await listeners[1]?.(value)),
  };
  const first = await openDenylists({ paths: [directory], pollMs: 5, channel });
  const second = await openDenylists({ paths: [directory], pollMs: 1_000_000, channel });
  try {
    write('a.deny', `/ipfs/${one}\n`);
    while (second.cid(one) === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    unlinkSync(join(directory, 'a.deny'));
    while (second.cid(one) !== undefined) await new Promise((resolve) => setTimeout(resolve, 5));
  } finally {
    await Promise.all([first.close(), second.close()]);
  }
});

test('an event is reported when its rules are in effect', async () => {
  const states: boolean[] = [];
  const list = await openDenylists({
    paths: [directory],
    pollMs: 1_000_000,
    onEvent: () => states.push(list.cid(one) !== undefined),
  });
  try {
    const file = write('a.deny', `/ipfs/${one}\n`);
    await list.refresh();
    unlinkSync(file);
    await list.refresh();
    expect(states).toEqual([true, false]);
  } finally {
    await list.close();
  }
});

test('denied blocks are not read, with the message of Kubo', async () => {
  write('a.deny', `/ipfs/${one}\n`);
  const blocks = createMemoryBlockstore();
  await blocks.putMany([one, two].map((cid, at) => ({ cid, bytes: Buffer.from(at === 0 ? 'one' : 'two') })));
  const guarded = withDenylist(blocks, await start(directory));
  expect(Buffer.from(await guarded.get(two)).toString()).toBe('two');
  for (const read of [guarded.get(one), guarded.size(one)])
    await expect(read).rejects.toMatchObject({
      code: 'CONTENT_DENIED',
      message: `${one} is blocked and cannot be provided`,
      status: 410,
    });
});

test('a path is denied through every parent, and a name with all that is below it', async () => {
  write('a.deny', `/ipfs/${one}/x/y\n/ipns/bad.example\n`);
  const list = await start(directory);
  const path = `/ipfs/${two}/d/x/y`;
  expect(findDenial(list, { path, roots: [two, one, cidOf('x'), cidOf('y')], names: ['d', 'x', 'y'] })?.line).toBe(1);
  expect(findDenial(list, { path, roots: [two], names: ['d', 'x', 'y'] })).toBeUndefined();
  expect(findDenial(list, { path: '/ipns/bad.example/a', roots: [], names: [] })?.line).toBe(2);
});

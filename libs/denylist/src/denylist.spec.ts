import { cidFor, parseCid } from '@cairn/cid';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { denylistOf } from './denylist.ts';
import { readDenylist } from './read-denylist.ts';
import { referenceList, referencePaths } from './reference.fixture.ts';

async function* source(text: string, chunk = text.length || 1) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
}

const read = (text: string, chunk?: number) => readDenylist(source(text, chunk), { file: 'test.deny' });

async function open(...texts: readonly string[]) {
  const lists = await Promise.all(
    texts.map(async (text, at) => ({ file: `${at}.deny`, rules: (await read(text)).rules })),
  );
  return denylistOf(() => lists);
}

/** Looks up a content path. */
function find(list: Awaited<ReturnType<typeof open>>, path: string) {
  const [, namespace, root = '', below = ''] = /^\/(ip[fn]s)\/([^/]+)(.*)$/.exec(path) ?? [];
  return namespace === 'ipns' ? list.name(root, below) : list.cid(parseCid(root), below);
}

const textOf = (name: string) => cidFor(Buffer.from(name), { codec: 'raw' }).toString();
const [one, two] = [textOf('one'), textOf('two')];

describe('the reference list of nopfs', () => {
  test.each(referencePaths)('%s: %s', async (expected, path) => {
    const list = await open(referenceList);
    expect(find(list, path) === undefined ? 'allowed' : 'denied').toBe(expected);
  });

  test('every line is a rule', async () => {
    expect((await read(referenceList)).problems).toEqual([]);
  });
});

describe('rules', () => {
  test('the last matching rule of a list decides, also among double hashes and plain rules', async () => {
    const path = '/ipfs/QmVTF1yEejXd9iMgoRTFDxBv7HAz9kuZcQNBzHrceuK9HR';
    const double = '//QmX9dhRcQcKUw3Ws8485T5a9dtjrSCQaUAHnG4iK9i4ceM';
    expect(find(await open(`${double}\n!${path}\n`), path)).toBeUndefined();
    expect(find(await open(`!${path}\n${double}\n`), path)).toMatchObject({ file: '0.deny', line: 2 });
  });

  test('rules of a later list override those of an earlier one', async () => {
    expect(find(await open(`/ipfs/${one}`, `!/ipfs/${one}`), `/ipfs/${one}`)).toBeUndefined();
    expect(find(await open(`!/ipfs/${one}`, `/ipfs/${one}`), `/ipfs/${one}`)).toMatchObject({ file: '1.deny' });
  });

  test.each([
    ['', 410],
    [' gateway_status=451', 451],
    [' gateway_status:451', 451],
    [' reason:legal', 451],
    [' reason=DMCA gateway_status=410', 410],
    [' gateway_status=200', 410],
  ])('the hints "%s" give the status %i', async (hints, status) => {
    expect(find(await open(`/ipfs/${one}${hints}`), `/ipfs/${one}`)?.status).toBe(status);
  });

  test('hints of a rule override those of the header', async () => {
    const list = await open(
      `version: 1\nhints:\n  gateway_status: 451\n---\n/ipfs/${one}\n/ipfs/${two} gateway_status=410\n`,
    );
    expect([one, two].map((cid) => find(list, `/ipfs/${cid}`)?.status)).toEqual([451, 410]);
  });

  test('paths are percent-decoded, and an encoded star is a name', async () => {
    const list = await open(`/ipfs/${one}/a%20b/\u0105%2A\n/ipfs/${two}/x%2B*`);
    expect(find(list, `/ipfs/${one}/a b/\u0105*`)).toBeDefined();
    expect(find(list, `/ipfs/${one}/a b/\u0105*c`)).toBeUndefined();
    expect(find(list, `/ipfs/${two}/x+y`)).toBeDefined();
  });

  test('names ignore case and a final dot', async () => {
    const list = await open('/ipns/Bad.Example');
    expect(find(list, '/ipns/bAd.example.')).toBeDefined();
  });

  test('beginnings of paths longer than 31 characters match', async () => {
    const long = 'directory/'.repeat(12);
    const list = await open(`/ipfs/${one}/${long}*\n/ipfs/${one}/b*`);
    expect(find(list, `/ipfs/${one}/${long}file`)).toBeDefined();
    expect(find(list, `/ipfs/${one}/${long.slice(0, -2)}`)).toBeUndefined();
    expect(find(list, `/ipfs/${one}/bc`)).toBeDefined();
  });
});

describe('readDenylist', () => {
  test('lines that are no rules are reported with their number and ignored', async () => {
    const text = `name: x\n---\n/ipfs/none\n# comment\n\nhello\n/ipfs/${one}\n//abc\n/ipfs/${two}/%zz\n`;
    const { problems, rules, header } = await read(text);
    expect(problems.map(({ line }) => line)).toEqual([3, 6, 8, 9]);
    expect([rules.size, header.name]).toEqual([1, 'x']);
  });

  test('reports the first problems only, and counts all', async () => {
    const { problems, problemCount } = await read('wrong\n'.repeat(1000));
    expect([problems.length, problemCount]).toEqual([20, 1000]);
  });

  test.each([
    ['a version that is not supported', 'version: 2\n---\n', 'version 2'],
    ['a header that is no YAML', 'a: [\n---\n', 'not YAML'],
    ['a header that is no map', '- a\n---\n', 'not a YAML map'],
    ['a header with aliases', 'a: &a [1]\nb: *a\n---\n', 'not YAML'],
    ['a line that is too long', `/ipfs/${one}\n${'x'.repeat(2 * 1024 * 1024 + 1)}\n`, ':2 '],
  ])('refuses %s', async (_, text, message) => {
    await expect(read(text, 64 * 1024)).rejects.toMatchObject({
      code: 'DENYLIST_INVALID',
      message: expect.stringContaining(message),
    });
  });

  test('refuses a line that is not UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from('# a\n/ipns/'), Buffer.of(0xff, 10)]);
    const reading = readDenylist(once(bytes), { file: 'f' });
    await expect(reading).rejects.toMatchObject({ details: { file: 'f', line: 2 } });
  });

  test('a first line --- is an empty header', async () => {
    expect((await read(`---\n/ipfs/${one}`)).rules.size).toBe(1);
  });

  test('lines before a header of more than 1 MiB are rules', async () => {
    const { rules } = await read(`/ipfs/${one}\n${`#${'x'.repeat(1000)}\n`.repeat(1100)}---\n/ipfs/${two}\n`);
    expect(rules.size).toBe(2);
  });

  test('the size of chunks changes nothing', async () => {
    for (const chunk of [1, 7, 1000]) expect((await read(referenceList, chunk)).rules.size).toBe(21);
  });
});

async function* once(bytes: Uint8Array) {
  yield bytes;
}

test('lookups agree with a scan of all rules from the end', async () => {
  const name = fc.constantFrom('a', 'b', 'ab');
  const path = fc.array(name, { maxLength: 3 }).map((names) => names.join('/'));
  const rule = fc.record({ cid: fc.constantFrom(one, two), path, star: fc.boolean(), isAllowed: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(rule, { maxLength: 12 }), fc.constantFrom(one, two), path, async (rules, cid, asked) => {
      const lines = rules.map((r) => `${r.isAllowed ? '!' : ''}/ipfs/${r.cid}/${r.path}${r.star ? '*' : ''}`);
      const list = await open(lines.join('\n'));
      const matches = (r: (typeof rules)[number]) =>
        r.cid === cid && (r.star ? asked.startsWith(r.path) : asked === r.path);
      const last = rules.findLastIndex(matches);
      const expected = last === -1 || rules[last]?.isAllowed ? undefined : last + 1;
      expect(list.cid(parseCid(cid), asked)?.line).toBe(expected);
    }),
  );
});

import { runSync } from '@cairn/blockstore';
import { CID, type CodecName, cidFor } from '@cairn/cid';
import * as dagCbor from '@ipld/dag-cbor';
import * as dagJson from '@ipld/dag-json';
import * as dagPb from '@ipld/dag-pb';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cborLinkSteps } from './cbor-links.ts';
import { jsonLinkSteps } from './json-links.ts';
import { isLeaf, linksOf } from './links.ts';

const cborLinks = (bytes: Uint8Array) => [...runSync(cborLinkSteps(bytes))];
const texts = async (codec: CodecName, bytes: Uint8Array) =>
  [...(await linksOf(cidFor(bytes, { codec }), bytes))].map(String);
const link = (text: string) => cidFor(Buffer.from(text), { codec: 'raw' });

test('linksOf returns links in the order of the block, also for numeric keys', async () => {
  // The key "-" sorts before "0" in both codecs; JavaScript objects have "0" first.
  const value = { '-': [link('a'), link('b')], '0': link('c'), '00': { '-': link('a'), '9': link('d') } };
  const expected = ['a', 'b', 'c', 'a', 'd'].map((text) => link(text).toString());
  const cbor = dagCbor.encode(value);
  expect(await texts('dag-cbor', cbor)).toEqual(expected);
  const json = dagJson.encode(value);
  expect(await texts('dag-json', json)).toEqual(expected);
});

test('linksOf returns no links for plain CBOR and JSON', async () => {
  for (const codec of ['cbor', 'json'] as const) {
    const bytes = Buffer.from(JSON.stringify({ '/': link('a').toString() }));
    expect(await texts(codec, bytes)).toEqual([]);
  }
});

test('linksOf accepts the key "/" beside other keys in DAG-JSON, as Kubo does', async () => {
  const bytes = Buffer.from(
    JSON.stringify({ '/': `${link('a')}`, b: [{ '/': `${link('b')}` }], c: { '/': { bytes: 'AQ' } } }),
  );
  expect(await texts('dag-json', bytes)).toEqual([link('b').toString()]);
  const broken = Buffer.from('{"/":"no CID","b":{"/":"no CID"}}');
  await expect(texts('dag-json', broken)).rejects.toMatchObject({ code: 'DAG_INVALID' });
});

test('isLeaf is true only for blocks in which linksOf finds no links', async () => {
  const data = fc.option(fc.uint8Array({ maxLength: 300 }), { nil: undefined });
  const node = fc.record({ data, texts: fc.array(fc.string(), { maxLength: 2 }) }).map(({ data: Data, texts: names }) =>
    dagPb.encode({
      ...(Data && { Data }),
      Links: names.map((Name, at) => ({ Hash: link(`${at}`), Name, Tsize: at })).sort(byName),
    }),
  );
  const damaged = fc.tuple(node, fc.nat(), fc.nat(255)).map(([bytes, at, byte]) => {
    const copy = Uint8Array.from(bytes);
    if (copy.length > 0) copy[at % copy.length] = byte;
    return copy;
  });
  await fc.assert(
    fc.asyncProperty(fc.oneof(node, damaged, fc.uint8Array()), async (bytes) => {
      const cid = cidFor(bytes, { codec: 'dag-pb' });
      const links = await linksOf(cid, bytes).catch(() => undefined);
      expect(isLeaf(cid, bytes)).toBe(links?.length === 0);
    }),
    { numRuns: 2000 },
  );
  const cbor = dagCbor.encode({ none: 1 });
  expect(isLeaf(cidFor(cbor, { codec: 'dag-cbor' }), cbor)).toBe(false);
  expect(isLeaf(cidFor(cbor, { codec: 'raw' }), cbor)).toBe(true);
});

const byName = ({ Name: a }: { readonly Name: string }, { Name: b }: { readonly Name: string }) =>
  Buffer.compare(Buffer.from(a), Buffer.from(b));

const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, false, 0.5, -1, 23, 24, 255, 256, 65_536, 2 ** 32, -(2 ** 40), 2n ** 63n, -(2n ** 60n)),
    fc.string(),
    fc.uint8Array({ maxLength: 30 }),
    fc.string().map(link),
    fc.array(tie('value')),
    fc.dictionary(fc.string(), tie('value')),
  ),
})).value;

/** Values without the reserved key of DAG-JSON and without integers beyond the range of JavaScript numbers. */
const jsonValue = value.filter((root) => !hasReserved(root));

function hasReserved(root: unknown): boolean {
  if (typeof root === 'bigint') return true;
  if (typeof root !== 'object' || root === null || root instanceof Uint8Array || CID.asCID(root)) return false;
  return Object.entries(root).some(([key, each]) => key === '/' || hasReserved(each));
}

function collected(root: unknown): string[] {
  if (typeof root !== 'object' || root === null || root instanceof Uint8Array) return [];
  const cid = CID.asCID(root);
  return cid ? [cid.toString()] : Object.values(root).flatMap(collected);
}

test('cborLinkSteps finds the links of a decoder', () => {
  fc.assert(
    fc.property(value, (root) => {
      const bytes = dagCbor.encode(root);
      expect(cborLinks(bytes).map(String).sort()).toEqual(collected(dagCbor.decode(bytes)).sort());
    }),
  );
});

test('cborLinkSteps refuses the damaged blocks that a decoder refuses', () => {
  const isRefused = (work: () => unknown) => {
    try {
      work();
      return false;
    } catch {
      return true;
    }
  };
  fc.assert(
    fc.property(value, fc.nat(), fc.nat(255), fc.boolean(), (root, position, byte, isCut) => {
      const whole = dagCbor.encode(root);
      const at = position % whole.length;
      const bytes = isCut ? whole.subarray(0, at) : Uint8Array.from(whole, (old, index) => (index === at ? byte : old));
      const refused = isRefused(() => dagCbor.decode(bytes));
      expect([Buffer.from(bytes).toString('hex'), isRefused(() => cborLinks(bytes))]).toEqual([
        Buffer.from(bytes).toString('hex'),
        refused,
      ]);
    }),
    { numRuns: 2000 },
  );
});

test('linksOf reads a block of 2 million integers and refuses deep nesting', async () => {
  const integers = Buffer.alloc(1_920_005, 1);
  integers.set([0x9a, 0, 0x1d, 0x4c, 0]);
  expect(await texts('dag-cbor', integers)).toEqual([]);
  const lists = Buffer.alloc(2_000_000, 0x81);
  lists[lists.length - 1] = 0x80;
  expect(() => cborLinks(lists)).toThrow('nested deeper than 100000');
});

describe('jsonLinkSteps', () => {
  const jsonLinks = (text: string | Uint8Array) => [...runSync(jsonLinkSteps(Buffer.from(text)))].map(String);

  test('finds the links of a decoder', () => {
    fc.assert(
      fc.property(jsonValue, (root) => {
        const bytes = dagJson.encode(root);
        expect(jsonLinks(bytes).sort()).toEqual(collected(dagJson.decode(bytes)).sort());
      }),
    );
  });

  test('accepts well formed JSON only', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.nat(127), fc.boolean(), (whole, position, code, isCut) => {
        const at = position % whole.length;
        const text = isCut
          ? whole.slice(0, at)
          : `${whole.slice(0, at)}${String.fromCharCode(code)}${whole.slice(at + 1)}`;
        const isTaken = (read: () => unknown) => {
          try {
            read();
            return true;
          } catch {
            return false;
          }
        };
        // Repeated keys, trailing commas and trailing zero bytes differ from JSON; the tests below cover them.
        fc.pre(!/,\s*[\]}]|\0|"\/"/.test(text) && !hasRepeatedKey(text));
        expect([text, isTaken(() => jsonLinks(text))]).toEqual([text, isTaken(() => JSON.parse(text))]);
      }),
      { numRuns: 2000 },
    );
  });

  test('accepts a trailing comma, as go-ipld-prime does, and refuses repeated keys', () => {
    const a = `{"/":"${link('a')}"}`;
    expect(jsonLinks(`[${a},]\n\0`)).toEqual([link('a').toString()]);
    expect(jsonLinks(`{"x":${a},}`)).toEqual([link('a').toString()]);
    expect(() => jsonLinks(`{"x":1,"\\u0078":2}`)).toThrow('repeated map key');
    expect(() => jsonLinks('[,]')).toThrow('invalid start');
    expect(() => jsonLinks('[1 2]')).toThrow('expected comma');
  });

  test('finds a link below the key "/", and no link in bytes there', () => {
    expect(jsonLinks(`{"/":{"/":"${link('a')}"}}`)).toEqual([link('a').toString()]);
    expect(jsonLinks('{"/":{"bytes":"AQ"}}')).toEqual([]);
  });

  test('refuses deep nesting and invalid links without recursion', () => {
    expect(() => jsonLinks(Buffer.alloc(2_000_000, '['))).toThrow('nested deeper than 100000');
    expect(() => jsonLinks('{"/":"no CID"}')).toThrow('CID');
  });
});

/** Reports whether a text of JSON has a repeated key, in any of its objects. */
function hasRepeatedKey(text: string): boolean {
  const keys = /"(?:[^"\\]|\\.)*"\s*:/g;
  const found = text.match(keys) ?? [];
  return new Set(found).size < found.length;
}

test('linksOf returns the payload of dag-jose, then its links', async () => {
  const payload = link('signed');
  const bytes = dagCbor.encode({ payload: payload.bytes, signatures: [{ header: { of: link('key') } }] });
  expect(await texts('dag-jose', bytes)).toEqual([payload.toString(), link('key').toString()]);
  await expect(texts('dag-jose', dagCbor.encode({ payload: 'text', signatures: [] }))).rejects.toMatchObject({
    code: 'DAG_INVALID',
  });
});

test('linksOf pauses within a block and refuses a block at its first malformed link', async () => {
  let pauses = 0;
  const slices = {
    step: async () => {
      pauses++;
    },
  };
  const shortest = Buffer.concat(Array.from({ length: 100_000 }, () => Buffer.from('12060a0401550000', 'hex')));
  expect((await linksOf(cidFor(shortest, { codec: 'dag-pb' }), shortest, slices)).length).toBe(100_000);
  expect(pauses).toBeGreaterThan(100);
  pauses = 0;
  const malformed = Buffer.alloc(2_000_000, Buffer.from('1200', 'hex'));
  await expect(linksOf(cidFor(malformed, { codec: 'dag-pb' }), malformed, slices)).rejects.toMatchObject({
    code: 'DAG_INVALID',
  });
  expect(pauses).toBe(0);
});

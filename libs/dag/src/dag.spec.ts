import { type Block, BufferPool, createMemoryBlockstore } from '@cairn/blockstore';
import { CID, cidFor } from '@cairn/cid';
import { addLink, importDirectory, importFile } from '@cairn/unixfs';
import { CarReader, CarWriter } from '@ipld/car';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  blockCodecOf,
  type DagCodec,
  decodeDag,
  encodeDag,
  readCar,
  readValue,
  resolveDagPath,
  resolveToBlock,
  valueAt,
  writeCar,
} from './index.ts';

const store = createMemoryBlockstore();
async function put(codec: DagCodec, value: unknown): Promise<CID> {
  const bytes = encodeDag(codec, value);
  const cid = cidFor(bytes, { codec });
  await store.putMany([{ cid, bytes }]);
  return cid;
}

describe('codecs', () => {
  test('encodeDag sorts the links of dag-pb, and refuses values of other shapes', () => {
    const cid = cidFor(Buffer.from('x'), { codec: 'raw' });
    const node = { Data: Buffer.from('d'), Links: ['b', 'a'].map((Name) => ({ Name, Hash: cid, Tsize: 1 })) };
    expect(decodeDag('dag-pb', encodeDag('dag-pb', node))).toMatchObject({ Links: [{ Name: 'a' }, { Name: 'b' }] });
    for (const value of [{ Links: [], other: 1 }, { Links: {} }, [], 'text', null])
      expect(() => encodeDag('dag-pb', value)).toThrow(expect.objectContaining({ code: 'VALUE_INVALID' }));
    expect(() => encodeDag('raw', { a: 1 })).toThrow(expect.objectContaining({ code: 'VALUE_INVALID' }));
  });

  test('decodeDag refuses non-strict forms and unbounded nesting', () => {
    const hex = (text: string) => Buffer.from(text, 'hex');
    // An indefinite length, a non-minimal number, an unknown tag, trailing bytes.
    for (const bytes of ['9fff', '1801', 'c11a514b67b0', '0000'])
      expect(() => decodeDag('dag-cbor', hex(bytes))).toThrow(expect.objectContaining({ code: 'DAG_INVALID' }));
    expect(() => decodeDag('dag-cbor', Buffer.alloc(1_000_000, 0x81))).toThrow(
      expect.objectContaining({ code: 'DAG_INVALID' }),
    );
    expect(() => decodeDag('dag-json', Buffer.alloc(1_000_000, '['))).toThrow(
      expect.objectContaining({ code: 'DAG_INVALID' }),
    );
  });
});

describe('calls from plain JavaScript', () => {
  test.each(['dag-cobr', 'constructor', '', undefined])(
    'refuse the codec %p instead of returning undefined',
    (codec) => {
      const unsupported = expect.objectContaining({ code: 'CODEC_UNSUPPORTED' });
      expect(() => decodeDag(codec as DagCodec, Uint8Array.of(0xf6))).toThrow(unsupported);
      expect(() => encodeDag(codec as DagCodec, null)).toThrow(unsupported);
    },
  );

  test.each(['dag-cbor', 'dag-json', 'raw'] as const)('refuse text in place of the bytes of %s', (codec) => {
    expect(() => decodeDag(codec, 'null' as never)).toThrow(expect.objectContaining({ code: 'BYTES_INVALID' }));
  });
});

describe('dag-json of maps', () => {
  const cid = cidFor(Buffer.from('x'), { codec: 'raw' });

  test.each<[string, unknown]>([
    ['would be a link', { '/': `${cid}` }],
    ['would be bytes', [{ deep: { '/': { bytes: 'AA' } } }]],
    ['would not decode', { '/': `${cid}`, z: 1 }],
    ['would not decode as bytes', new Map([['/', new Map([['bytes', 'AA']])]])],
    ['has keys that are not text', new Map([[1, 2]])],
  ])('encodeDag refuses a map that %s', (_, value) => {
    expect(() => encodeDag('dag-json', value)).toThrow(expect.objectContaining({ code: 'VALUE_INVALID' }));
  });

  test.each<[unknown]>([
    [{ '/': 1 }],
    [{ '/': { bytes: 1 } }],
    [{ '/': { a: 1, bytes: 'AA' } }],
    [{ '!': 1, '/': `${cid}` }],
    [{ '/': cid }],
    [{ link: cid, bytes: Uint8Array.of(1), list: [{ '/': null }] }],
  ])('encodeDag and decodeDag agree on %p', (value) => {
    expect(decodeDag('dag-json', encodeDag('dag-json', value))).toEqual(value);
  });
});

describe('paths', () => {
  test('lead through directories, dag-pb, dag-cbor and dag-json, and can end within a block', async () => {
    const leaf = await put('raw', Buffer.from('leaf'));
    const json = await put('dag-json', { list: [0, leaf] });
    const cbor = await put('dag-cbor', { a: { b: [json], text: 'x' }, 0: 'zero' });
    const plain = await put('dag-pb', { Links: [{ Name: 'next', Hash: cbor, Tsize: 1 }] });
    let directory = (await importDirectory([], store)).cid;
    directory = (await addLink(store, directory, { name: 'd', cid: plain, tsize: 1 })).cid;
    const path = `/ipfs/${directory}/d/next/a/b/0/list/1`;
    expect((await resolveToBlock(store, path)).toString()).toBe(leaf.toString());
    const within = await resolveDagPath(store, `${cbor}/a/text`);
    expect(within).toEqual({ cid: cbor, remainder: ['a', 'text'] });
    expect(valueAt(readValue('dag-cbor', await store.get(cbor)), within.remainder)).toBe('x');
    expect((await resolveToBlock(store, `${cbor}/a/text`)).toString()).toBe(cbor.toString());
    expect(await resolveDagPath(store, `/ipld/${plain}/Links/0/Name`)).toEqual({
      cid: plain,
      remainder: ['Links', '0', 'Name'],
    });
    expect((await resolveToBlock(store, `/ipld/${plain}/Links/0/Hash/a/b/0`)).toString()).toBe(json.toString());
  });

  test('resolveDagPath refuses a missing name with the messages of boxo and go-ipld-prime', async () => {
    const json = await put('dag-json', { list: [0, 'text'] });
    const cbor = await put('dag-cbor', { a: { b: [json] }, text: 'x', none: null, float: 1.5 });
    const empty = (await importDirectory([], store)).cid;
    const two = (async function* () {
      yield Buffer.from('ab');
    })();
    const { cid: chunks } = await importFile(two, store, { chunker: 'size-1' });
    const wrongKind = (type: string, kind = type) =>
      `func called on wrong kind: "LookupBySegment" called on a ${type} node (kind: ${kind}), but only makes sense on map or list`;
    const words = {
      [`${empty}/Links/0`]: `no link named "Links" under ${empty}`,
      [`/ipld/${empty}/x`]: `no link named "x" under ${empty}`,
      [`${cbor}/a/length`]: 'key not found: "length"',
      [`${cbor}/a/x/y`]: `no link named "x" under ${cbor}`,
      [`${cbor}/text/0/y`]: `no link named "0" under ${cbor}`,
      [`${cbor}/a/b/1`]: 'key not found: "1"',
      [`${cbor}/a/b/-1`]: 'key not found: ""',
      [`${cbor}/a/b/x`]: 'invalid segment for lookup on a list: "x": strconv.ParseInt: parsing "x": invalid syntax',
      [`${cbor}/text/x`]: wrongKind('string'),
      [`${cbor}/none/x`]: wrongKind('null'),
      [`${cbor}/float/x`]: wrongKind('float'),
      [`${json}/list/0/x`]: wrongKind('int'),
      [`${cbor}/toString`]: 'key not found: "toString"',
      [`${await put('raw', Buffer.from('leaf'))}/x`]: wrongKind('bytes'),
      [`${chunks}/x`]:
        'func called on wrong kind: "" called on a INVALID node, but only makes sense on <empty KindSet>',
    };
    for (const [path, message] of Object.entries(words))
      await expect(resolveDagPath(store, path)).rejects.toMatchObject({ message });
    expect(await resolveDagPath(store, `${json}/list/01`)).toEqual({ cid: json, remainder: ['list', '01'] });
  });

  test('lead through cbor and json without links, and through non-strict forms', async () => {
    const putBytes = async (codec: 'cbor' | 'json' | 'dag-json' | 'dag-cbor', bytes: Uint8Array) => {
      const cid = cidFor(bytes, { codec });
      await store.putMany([{ cid, bytes }]);
      return cid;
    };
    const map = Buffer.from('a161611801', 'hex');
    const blocks = [
      await putBytes('cbor', map),
      await putBytes('dag-cbor', map),
      await putBytes('json', Buffer.from('{ "a": 1 }')),
      await putBytes('dag-json', Buffer.from('{"/":"QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn","a":1}')),
    ];
    for (const cid of blocks) {
      const { remainder } = await resolveDagPath(store, `${cid}/a`);
      expect(valueAt(readValue(blockCodecOf(cid), await store.get(cid)), remainder)).toBe(1n);
    }
  });
});

describe('CAR', () => {
  const blockOf = (bytes: Uint8Array): Block => ({ cid: cidFor(bytes, { codec: 'raw' }), bytes });
  const collect = async <Item>(items: AsyncIterable<Item>) => {
    const all: Item[] = [];
    for await (const item of items) all.push(item);
    return all;
  };
  async function* cut(bytes: Uint8Array, every: number) {
    for (let at = 0; at < bytes.length; at += every) yield bytes.subarray(at, at + every);
  }
  const written = async (roots: readonly CID[], blocks: readonly Block[]) =>
    Buffer.concat(await collect(writeCar(roots, blocks)));

  test('round-trips for every split into chunks, and agrees with @ipld/car', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 10 }),
        fc.integer({ min: 1, max: 500 }),
        async (contents, every) => {
          const blocks = contents.map(blockOf);
          const roots = blocks.slice(0, 2).map(({ cid }) => cid);
          const car = await written(roots, blocks);
          const read = await readCar(cut(car, every));
          expect([read.version, read.roots.map(String)]).toEqual([1, roots.map(String)]);
          const shown = (list: readonly Block[]) =>
            list.map(({ cid, bytes }) => `${cid} ${Buffer.from(bytes).toString('hex')}`);
          expect(shown(await collect(read.blocks))).toEqual(shown(blocks));
          if (blocks.length === 0) return;
          const reader = await CarReader.fromBytes(car);
          expect((await reader.getRoots()).map(String)).toEqual(roots.map(String));
          const { writer, out } = CarWriter.create([...roots] as never);
          const theirs = collect(out);
          for (const block of blocks) await writer.put(block as never);
          await writer.close();
          expect(Buffer.concat(await theirs).equals(car)).toBe(true);
        },
      ),
      { numRuns: 50 },
    );
  });

  test('long blocks are in lent buffers, and no CID retains the bytes that it was read from', async () => {
    const blocks = [1, 2, 3].map((seed) => blockOf(Buffer.alloc(200_000, seed)));
    const buffers = new BufferPool({ bytesMax: 1_000_000 });
    const car = await readCar(cut(await written([], blocks), 65_536), { buffers });
    const read: string[] = [];
    for await (const { cid, bytes, lentBy } of car.blocks) {
      expect([lentBy === buffers, buffers.isLent(bytes)]).toEqual([true, true]);
      expect(cid.multihash.bytes.buffer.byteLength).toBeLessThan(100);
      read.push(`${cid} ${bytes.length} ${bytes[0]}`);
      buffers.giveBack(bytes);
    }
    expect(read).toEqual(blocks.map(({ cid }, index) => `${cid} 200000 ${index + 1}`));
    // One buffer served all three.
    expect(buffers.freeBytes).toBeLessThan(400_000);
  });

  test('a block whose CID is longer than allowed, or longer than its section, is refused', async () => {
    const header = await written([], []);
    const identity = (length: number) => Buffer.concat([Buffer.from([1, 0x55, 0, 0x80 | (length & 127), length >> 7])]);
    const long = Buffer.concat([identity(600), Buffer.alloc(600)]);
    const sections = [Buffer.concat([Buffer.from([0x80 | (long.length & 127), long.length >> 7]), long])];
    sections.push(Buffer.concat([Buffer.from([6]), identity(200), Buffer.alloc(1)]));
    for (const section of sections) {
      const { blocks } = await readCar(cut(Buffer.concat([header, section]), 50));
      await expect(collect(blocks)).rejects.toThrow('block 0 does not begin with a CID');
    }
  });

  test('version 2 is read without the bytes before and after its data', async () => {
    const block = blockOf(Buffer.from('in version 2'));
    const inner = await written([block.cid], [block]);
    const fixed = Buffer.alloc(40);
    fixed.writeBigUInt64LE(60n, 16);
    fixed.writeBigUInt64LE(BigInt(inner.length), 24);
    fixed.writeBigUInt64LE(BigInt(60 + inner.length), 32);
    const outer = Buffer.from('0aa16776657273696f6e02', 'hex');
    const car = Buffer.concat([outer, fixed, Buffer.alloc(9), inner, Buffer.from('some index')]);
    const read = await readCar(cut(car, 7));
    expect([read.version, (await collect(read.blocks)).map(({ cid }) => `${cid}`)]).toEqual([2, [`${block.cid}`]]);
    const short = await readCar(cut(car.subarray(0, 60 + inner.length - 3), 7));
    await expect(collect(short.blocks)).rejects.toMatchObject({ code: 'CAR_INVALID' });
  });

  test('readCar refuses truncated, mislabelled and oversized input before it allocates memory', async () => {
    const block = blockOf(Buffer.from('some bytes'));
    const car = await written([block.cid], [block]);
    const read = async (bytes: Uint8Array) => collect((await readCar(cut(bytes, 11))).blocks);
    for (let length = 0; length < car.length; length++) {
      // Cut after the header, it is a CAR without blocks.
      if (length === car.length - block.bytes.length - block.cid.bytes.length - 1) continue;
      await expect(read(car.subarray(0, length))).rejects.toMatchObject({ code: 'CAR_INVALID' });
    }
    const wrong = Buffer.from(car);
    wrong.writeUInt8((wrong.at(-1) ?? 0) ^ 1, wrong.length - 1);
    await expect(read(wrong)).rejects.toMatchObject({ code: 'BLOCK_CORRUPT' });
    const header = await written([], []);
    for (const section of ['00', 'ffffffffffffffff7f', 'ffffffffffffffffffff01', '8080808010', '0101', '03ffffff'])
      await expect(read(Buffer.concat([header, Buffer.from(section, 'hex')]))).rejects.toMatchObject({
        code: 'CAR_INVALID',
      });
    for (const text of ['not a car', '{"roots":[]}', '\0'])
      await expect(read(Buffer.from(text))).rejects.toMatchObject({ code: 'CAR_INVALID' });
  });
});

describe('dag-jose', () => {
  const payload = cidFor(Buffer.from('signed'), { codec: 'dag-cbor' });
  const signed = {
    payload: Buffer.from(payload.bytes).toString('base64url'),
    signatures: [{ protected: 'e30', signature: 'AQID', header: { kid: 'x' } }],
  };

  test('a signed object has its payload as a link, and bytes as base64url text', () => {
    const bytes = encodeDag('dag-jose', signed);
    const value = decodeDag('dag-jose', bytes) as typeof signed & { readonly link: CID };
    expect(value).toMatchObject(signed);
    expect(value.link.equals(payload)).toBe(true);
    expect(Buffer.from(encodeDag('dag-jose', value)).equals(bytes)).toBe(true);
    // The block is dag-cbor with bytes.
    expect(decodeDag('dag-cbor', bytes)).toMatchObject({ payload: payload.bytes });
  });

  test('encrypted objects round-trip', () => {
    const value = { ciphertext: 'AQID', iv: 'BA', tag: 'BQ', protected: 'e30', recipients: [{ encrypted_key: 'Bg' }] };
    expect(decodeDag('dag-jose', encodeDag('dag-jose', value))).toEqual(value);
  });

  test.each([
    [{}],
    ['text'],
    [{ payload: 'AQID' }],
    [{ ...signed, payload: 'not base64url!' }],
    [{ ...signed, payload: 'AQID' }],
    [{ ...signed, link: cidFor(Buffer.from('another'), { codec: 'raw' }) }],
  ])('refuses %j', (value) => {
    expect(() => encodeDag('dag-jose', value)).toThrow(expect.objectContaining({ code: 'VALUE_INVALID' }));
  });

  test('refuses a block that is neither signed nor encrypted', () => {
    const bytes = encodeDag('dag-cbor', { payload: payload.bytes });
    expect(() => decodeDag('dag-jose', bytes)).toThrow(expect.objectContaining({ code: 'DAG_INVALID' }));
  });
});

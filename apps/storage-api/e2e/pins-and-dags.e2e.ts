import { randomBytes } from 'node:crypto';
import { cidFor } from '@cairn/cid';
import { writeCar } from '@cairn/dag';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ExchangeRequest, exchange, multipart } from './exchange.ts';
import { basic, Service } from './service.ts';

// Responses of Kubo 0.42 to commands on pins and DAGs, as fixed cases.
const service = new Service();
beforeAll(async () => {
  await service.makeAccounts();
  await service.start({ STORAGE_BLOCK_WAIT_SECONDS: '0' });
});
afterAll(() => service.remove());

const ask = (path: string, { headers = {}, ...rest }: ExchangeRequest = {}) =>
  exchange(`${service.url}/api/v0/${path}`, { ...rest, headers: { authorization: basic('ann'), ...headers } });
const lines = async (path: string, request?: ExchangeRequest) => {
  const text = (await ask(path, request)).body.toString().trim();
  return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line));
};
const send = async (path: string, bytes: Uint8Array | string) =>
  await lines(path, multipart([{ name: 'file', filename: 'file', bytes: Buffer.from(bytes) }]));
const add = async (text: string, query = 'pin=false') => String((await send(`add?${query}`, text)).at(-1)?.Hash);
const putDag = async (value: unknown) => String((await send('dag/put', JSON.stringify(value)))[0].Cid['/']);
const missing = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy';

describe('pins', () => {
  test('pin/ls has a Name in its list and none in its lines, and no Keys without pins', async () => {
    expect(await lines('pin/ls?type=direct')).toEqual([{}]);
    const cid = await add('named', 'pin=true');
    expect(await lines(`pin/ls?arg=${cid}`)).toEqual([{ Keys: { [cid]: { Type: 'recursive', Name: '' } } }]);
    await ask(`pin/add?arg=${cid}&name=label`);
    expect(await lines(`pin/ls?arg=${cid}`)).toEqual([{ Keys: { [cid]: { Type: 'recursive', Name: '' } } }]);
    expect(await lines(`pin/ls?arg=${cid}&names=true&stream=true`)).toEqual([
      { Cid: cid, Name: 'label', Type: 'recursive' },
    ]);
    expect(await lines(`pin/ls?arg=${cid}&stream=true`)).toEqual([{ Cid: cid, Type: 'recursive' }]);
    expect(await lines('pin/ls?name=abe')).toEqual([{ Keys: { [cid]: { Type: 'recursive', Name: 'label' } } }]);
    await ask(`pin/add?arg=${cid}`);
    expect(await lines('pin/ls?name=abe')).toEqual([{}]);
  });

  test('pin/add with progress ends with the number of walked blocks, then the pins', async () => {
    const cid = await add('progress');
    expect(await lines(`pin/add?arg=${cid}&progress=true`)).toEqual([{ Progress: 1, Bytes: 16 }, { Pins: [cid] }]);
    const direct = await add('direct');
    expect(await lines(`pin/add?arg=${direct}&progress=true&recursive=false`)).toEqual([{ Pins: [direct] }]);
  });

  test('pin/add pins the paths before one that it refuses, and gives the reason', async () => {
    const cid = await add('before');
    expect((await ask(`pin/add?arg=${cid}&arg=nonsense`)).status).toBe(400);
    expect(await lines(`pin/ls?arg=${cid}`)).toEqual([{ Keys: { [cid]: { Type: 'recursive', Name: '' } } }]);
    expect(await lines(`pin/add?arg=${missing}`)).toEqual([
      {
        Message: `pin: block was not found locally (offline): ipld: could not find ${missing}`,
        Code: 0,
        Type: 'error',
      },
    ]);
    expect((await lines(`pin/add?arg=${cid}&recursive=false`))[0].Message).toBe(
      `pin: ${cid} already pinned recursively`,
    );
    expect((await lines(`pin/rm?arg=${cid}&recursive=false`))[0].Message).toBe(`${cid} is pinned recursively`);
  });

  test('names of pins have at most 255 bytes', async () => {
    const cid = await add('long name');
    const long = 'ü'.repeat(128);
    for (const path of [`pin/add?arg=${cid}&name=${long}`, `pin/ls?name=${long}`]) {
      const answer = await ask(encodeURI(path));
      expect([answer.status, JSON.parse(answer.body.toString()).Message]).toEqual([
        400,
        'pin name is 256 bytes (max 255 bytes)',
      ]);
    }
    expect((await ask(`pin/add?arg=${cid}&name=${'n'.repeat(255)}`)).status).toBe(200);
  });

  test('pin/update refuses a CID that is pinned, and keeps the name of the old pin', async () => {
    const [one, two, three] = [await add('one', 'pin=true'), await add('two', 'pin=true'), await add('three')];
    await ask(`pin/add?arg=${one}&name=site`);
    expect((await lines(`pin/update?arg=${one}&arg=${two}`))[0].Message).toBe(
      "'to' cid was already recursively pinned",
    );
    expect(await lines(`pin/update?arg=${one}&arg=${one}`)).toEqual([{ Pins: [one, one] }]);
    expect((await lines(`pin/update?arg=${three}&arg=${one}`))[0].Message).toBe(
      "'from' cid was not recursively pinned already",
    );
    expect(await lines(`pin/update?arg=${one}&arg=${three}`)).toEqual([{ Pins: [one, three] }]);
    expect(await lines('pin/ls?name=site')).toEqual([{ Keys: { [three]: { Type: 'recursive', Name: 'site' } } }]);
  });

  test('pin/verify names every block that a pin lacks', async () => {
    expect((await ask('pin/verify?verbose=true&quiet=true')).status).toBe(400);
    expect(await lines('pin/verify')).toEqual([]);
    expect(await lines('pin/verify?verbose=true')).toContainEqual({ Cid: expect.any(String), Ok: true });
  });
});

describe('DAGs', () => {
  test('dag/resolve returns the rest of a path with its slash', async () => {
    const cid = await putDag({ a: { b: [1] } });
    expect(await lines(`dag/resolve?arg=${cid}/a/b/0`)).toEqual([{ Cid: { '/': cid }, RemPath: '/a/b/0' }]);
    expect(await lines(`dag/resolve?arg=${cid}`)).toEqual([{ Cid: { '/': cid }, RemPath: '' }]);
    // Commands on blocks use the last block of a path.
    expect((await ask(`block/stat?arg=${cid}/a/b`)).status).toBe(200);
    expect((await lines(`dag/stat?arg=${cid}/a`))[0].Message).toBe(
      'cannot return size for anything other than a DAG with a root CID',
    );
  });

  test('resolve responds in the base of the CID in the path', async () => {
    expect(await lines('resolve?arg=/ipfs/f01550000')).toEqual([{ Path: '/ipfs/f01550000' }]);
    expect(await lines('resolve?arg=bafkqaaa&cid-base=z')).toEqual([{ Path: '/ipfs/z2yYDV' }]);
    expect(await lines('resolve?arg=bafkqaaa&cid-base=nope')).toEqual([
      { Message: 'unsupported multibase encoding: nope', Code: 1, Type: 'error' },
    ]);
  });

  test('dag/stat counts version 0 and version 1 of one multihash as two blocks', async () => {
    const version0 = await add('twice');
    const version1 = String((await lines(`resolve?arg=${version0}&cid-base=base32`))[0].Path).slice('/ipfs/'.length);
    const cid = await putDag({ links: [{ '/': version0 }, { '/': version1 }] });
    const last = (await lines(`dag/stat?arg=${cid}`)).at(-1);
    expect(last).toMatchObject({ UniqueBlocks: 3, Ratio: 1, DagStats: [{ Cid: cid, NumBlocks: 3 }] });
    const car = (await ask(`dag/export?arg=${cid}`)).body;
    expect((await send('dag/import?stats=true', car))[1]).toMatchObject({ Stats: { BlockCount: 3 } });
    expect(await lines(`dag/stat?arg=${version0}&arg=${version0}&progress=false`)).toEqual([
      {
        UniqueBlocks: 1,
        TotalSize: 13,
        SharedSize: 13,
        Ratio: 2,
        DagStats: [
          { Cid: version0, Size: 13, NumBlocks: 1 },
          { Cid: version0, Size: 13, NumBlocks: 1 },
        ],
      },
    ]);
  });

  test('refs lists a link when its block is stored, and each path of a repeated block', async () => {
    const leaf = await putDag('leaf');
    const middle = await putDag({ leaf: { '/': leaf } });
    const root = await putDag([{ '/': middle }, { '/': middle }, { '/': missing }]);
    const refs = (await lines(`refs?arg=${root}&recursive=true`)) as { Ref: string; Err: string }[];
    expect(refs.map(({ Ref }) => Ref)).toEqual([middle, leaf, middle, leaf, '']);
    expect(refs.at(-1)?.Err).toBe(`block was not found locally (offline): ipld: could not find ${missing}`);
    const unique = (await lines(`refs?arg=${root}&recursive=true&unique=true`)) as { Ref: string }[];
    expect(unique.map(({ Ref }) => Ref)).toEqual([middle, leaf, '']);
    expect(await lines(`refs/${middle}`)).toEqual([{ Ref: leaf, Err: '' }]);
  });

  test('ls lists the links of a dag-cbor node in order, without names and sizes', async () => {
    const raw = await add('hello', 'raw-leaves=true&cid-version=1&pin=false');
    const file = await add('hello pb');
    const root = await putDag({ z: { '/': raw }, b: [{ '/': file }, { x: { '/': raw } }], c: 1 });
    const entry = { Name: '', Size: 0, Type: 2, Target: '', Mode: 0, ModTime: '0001-01-01T00:00:00Z' };
    const leaf = { ...entry, Hash: raw };
    const Links = [{ ...entry, Hash: file, Size: 8 }, leaf, leaf];
    for (const path of [root, `${root}/b`, `${root}/c`])
      expect(await lines(`ls?arg=${path}`)).toEqual([{ Objects: [{ Hash: path, Links }] }]);
  });
});

describe('CARs', () => {
  const exportOf = async (cid: string, query = '') => (await ask(`dag/export?arg=${cid}${query}`)).body;

  test('dag/import names a missing root in the form that clients match, and a damaged block', async () => {
    const cid = await add('x');
    const car = await exportOf(cid);
    const headerOnly = car.subarray(0, 1 + (car[0] ?? 0));
    await ask(`block/rm?arg=${cid}`);
    expect(await send('dag/import', headerOnly)).toEqual([
      { Root: { Cid: { '/': cid }, PinErrorMsg: `ipld: could not find ${cid}` } },
    ]);
    expect(await send('dag/import', '')).toEqual([]);
    const damaged = Buffer.from(car);
    damaged[damaged.length - 1] = (damaged.at(-1) ?? 0) ^ 1;
    expect((await send('dag/import', damaged))[0].Message).toMatch(
      new RegExp(`^import failed: mismatch in content integrity, expected: ${cid}, got: Qm`),
    );
    expect((await send('dag/import', car.subarray(0, -1)))[0].Message).toBe('import failed: unexpected EOF');
    expect(await send('dag/import?silent=true', car)).toEqual([{ Root: { Cid: { '/': cid }, PinErrorMsg: '' } }]);
  });

  test('long blocks of CARs that are sent together are stored as they were sent', async () => {
    const blocks = Array.from({ length: 48 }, () => {
      const bytes = randomBytes(150_000 + Math.floor(Math.random() * 100_000));
      return { cid: cidFor(bytes, { codec: 'raw' }), bytes };
    });
    const carOf = async (from: number) => {
      const parts: Uint8Array[] = [];
      // Each CAR repeats blocks of the one before it, and its own first block.
      const own = blocks.slice(from, from + 24);
      for await (const part of writeCar([], [...own, ...own.slice(0, 1)])) parts.push(part);
      return Buffer.concat(parts);
    };
    const cars = await Promise.all([0, 12, 24].map(carOf));
    const answers = await Promise.all(cars.map((car) => send('dag/import?stats=true', car)));
    for (const [answer] of answers) expect(answer).toMatchObject({ Stats: { BlockCount: 25 } });
    for (const { cid, bytes } of blocks) expect((await ask(`block/get?arg=${cid}`)).body.equals(bytes)).toBe(true);
  });

  test('a partial export contains the stored blocks, and a partial import pins no root', async () => {
    const leaf = await putDag('here');
    const root = await putDag([{ '/': missing }, { '/': leaf }]);
    const partial = await exportOf(root, '&local-only=true');
    expect(await send('dag/import?local-only=true&stats=true', partial)).toEqual([
      { Stats: { BlockCount: 2, BlockBytesCount: expect.any(Number) } },
    ]);
    expect((await ask(`dag/export?arg=${root}&local-only=true&offline=false`)).status).toBe(400);
    const whole = await ask(`dag/export?arg=${root}`);
    expect(whole.trailers['x-stream-error']).toContain(`ipld: could not find ${missing}`);
  });
});

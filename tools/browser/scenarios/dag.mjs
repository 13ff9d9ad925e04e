import { createMemoryBlockstore } from '@cairn/blockstore';
import { CID, cidFor } from '@cairn/cid';
import { decodeDag, encodeDag, readCar, resolveDagPath, transcodeDag, writeCar } from '@cairn/dag';
import { codeOf, collect, digits, joined, patterned, plain } from './tools.mjs';

const utf8 = (text) => new TextEncoder().encode(text);

export async function run() {
  const leaf = cidFor(patterned(100), { codec: 'raw' });
  const value = {
    name: 'Cairn €',
    numbers: [0, -1, 1.5, 2 ** 40],
    bytes: patterned(40),
    link: leaf,
    none: null,
    yes: true,
  };
  const node = {
    Data: patterned(10),
    Links: [
      { Name: 'b', Tsize: 3, Hash: leaf },
      { Name: 'a', Tsize: 2, Hash: leaf },
    ],
  };
  const blocks = [
    ['dag-cbor', value],
    ['dag-json', value],
    ['dag-pb', node],
    ['raw', patterned(30)],
  ].map(([codec, given]) => ({ codec, bytes: encodeDag(codec, given) }));
  const named = blocks.map(({ codec, bytes }) => ({ cid: cidFor(bytes, { codec }), bytes }));
  const store = createMemoryBlockstore();
  await store.putMany(named);
  const car = await joined(writeCar([named[0].cid], named));
  const { roots, blocks: read } = await readCar(new Blob([car]));
  const json = utf8(
    '{"b":{"/":{"bytes":"AQID"}},"a":[1,1.0,"é",{"/":"bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq"}]}',
  );
  return plain({
    encoded: blocks.map(({ codec, bytes }) => [codec, digits(bytes)]),
    decoded: blocks.map(({ codec, bytes }) => shown(decodeDag(codec, bytes))),
    transcoded: ['dag-cbor', 'dag-json'].map((to) => digits(transcodeDag(json, 'dag-json', to))),
    car: digits(car.subarray(0, 200)),
    roots: roots.map(String),
    blocks: (await collect(read)).map(({ cid, bytes }) => [`${cid}`, bytes.length]),
    path: (await resolveDagPath(store, `/ipfs/${named[0].cid}/numbers/3`)).remainder,
    refusals: [
      await codeOf(() => decodeDag('dag-cbor', utf8('x'))),
      await codeOf(() => readCar(utf8('no car at all'))),
      await codeOf(() => readCar('text')),
      await codeOf(() => collect(writeCar([], [{ cid: leaf, bytes: 'text' }]))),
    ],
  });
}

function shown(value) {
  if (value instanceof Uint8Array) return digits(value);
  const cid = CID.asCID(value);
  if (cid) return cid.toString();
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value).map(([key, each]) => [key, shown(each)]);
}

import type { Fixtures } from './fixtures.ts';
import type { GatewayCase } from './gateway-case.ts';
import { cars, dags, hosts, others, sites } from './more-requests.ts';

const formats = ['raw', 'car', 'tar', 'dag-json', 'dag-cbor', 'json', 'cbor', 'ipns-record', 'nonsense', ''];
const mediaTypes = [
  '*/*',
  'text/html',
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'application/json',
  'application/cbor',
  'application/x-tar',
  'application/vnd.ipld.raw',
  'application/vnd.ipld.car',
  'application/vnd.ipld.car;version=1;order=dfs;dups=y',
  'application/vnd.ipld.car;version=2',
  'application/vnd.ipld.car;order=other',
  'application/vnd.ipld.dag-json',
  'application/vnd.ipld.dag-cbor',
  'application/vnd.ipfs.ipns-record',
  'foo, application/vnd.ipld.dag-json,bar',
  'application/vnd.ipld.raw;q=0.1, application/vnd.ipld.car',
  'APPLICATION/VND.IPLD.RAW',
  'application/vnd.ipld.unknown',
];
const ranges = [
  ...['0-4', '2-', '-3', '0-0', '0-999999999', '40-60', '5-2', '999999999-', '-0', 'x', '', '1-2-3', '0-1,3-4'],
  ...['0-1,999999999-', '999999999-,0-1', '-1,0-0', ' 1 - 2 ', '0-18446744073709551616'],
].map((range) => `bytes=${range}`);

/** Paths of content of every kind. */
export function pathsOf(cids: Fixtures): string[] {
  const { tree, old, hamt, site } = cids;
  return [
    ...['text.txt', 'empty.txt', 'big.bin', 'link', 'with-index/', 'empty-directory/'].map(
      (name) => `/ipfs/${tree}/${name}`,
    ),
    ...[
      `/ipfs/${tree}/`,
      `/ipfs/${tree}`,
      `/ipfs/${old}/text.txt`,
      `/ipfs/${old}/big.bin`,
      `/ipfs/${hamt}/`,
      `/ipfs/${site}/`,
    ],
    ...['leaf', 'cbor', 'json', 'identity', 'plainJson', 'plainCbor', 'raw', 'pbWithoutData', 'missing'].map(
      (name) => `/ipfs/${cids[name]}`,
    ),
  ];
}

function contentTypes({ tree }: Fixtures): GatewayCase[] {
  const names = [
    ...[
      'empty',
      'data.json',
      'no-extension',
      'json-without-extension',
      'html-without-extension',
      'xml-without-extension',
    ],
    ...['svg-without-extension', 'png-without-extension', 'binary-without-extension', 'bom-without-extension'],
    ...[
      'pdf-without-extension',
      'gzip-without-extension',
      'webm-without-extension',
      'mp4-without-extension',
      'page.html',
    ],
    ...[
      'style.css',
      'script.js',
      'module.mjs',
      'image.svg',
      'image.png',
      'readme.md',
      'code.ts',
      'app.wasm',
      'feed.xml',
    ],
    ...['notes.log', 'table.csv', 'video.mp4', 'audio.mp3', 'archive.tar.gz', 'unknown.zzz', 'dated.txt'],
  ];
  return names.flatMap((name) => [
    { path: `/ipfs/${tree}/${name}` },
    { path: `/ipfs/${tree}/${name}`, method: 'HEAD' },
    { path: `/ipfs/${tree}/${name}?filename=other.html` },
  ]);
}

function names({ tree }: Fixtures): GatewayCase[] {
  const odd = [
    ...[
      '100% sure?.txt',
      'a#b.txt',
      'a b+c.txt',
      '"quoted" \'name\'.txt',
      '<b>.txt',
      'a&b;c=d@e:f,g$h.txt',
      'a\\b.txt',
    ],
    ...['%2F.txt', '~tilde!(x)*.txt', '日本語.txt', '😀.txt'],
  ];
  const host = `${tree}.ipfs.localhost`;
  return [
    ...odd.flatMap((name) => [
      { path: `/ipfs/${tree}/odd/${encodeURIComponent(name)}` },
      { path: `/odd/${encodeURIComponent(name)}`, host },
      { path: `/ipfs/${tree}/odd/${encodeURIComponent(name)}?format=raw` },
      { path: `/ipfs/${tree}/odd/${encodeURIComponent(name)}?download=true` },
      { path: `/ipfs/${tree}/text.txt?filename=${encodeURIComponent(name)}` },
      { path: `/ipfs/${tree}/text.txt?format=car&filename=${encodeURIComponent(name)}` },
    ]),
    ...['odd', '%C4%85/%C4%99', 'ą/ę', 'deep/a/b', 'with-index', 'with-index/sub'].flatMap((name) => [
      { path: `/ipfs/${tree}/${encodeURI(decodeURI(name))}` },
      { path: `/ipfs/${tree}/${encodeURI(decodeURI(name))}?a=b&c=%20d` },
      { path: `/${encodeURI(decodeURI(name))}`, host },
    ]),
    ...[
      'deep//a',
      'deep/./a/',
      'deep/a/../a/',
      'deep/a/..',
      '../..',
      'deep/a/b/c/d/e.txt/',
      'text.txt/',
      'text.txt/x',
    ].map((name) => ({ path: `/ipfs/${tree}/${name}` })),
    ...['no-such', 'deep/no-such/x', 'odd/%', 'odd/%zz', '%00', 'big.bin/x', 'link/x'].map((name) => ({
      path: `/ipfs/${tree}/${name}`,
    })),
  ];
}

function formatted(cids: Fixtures): GatewayCase[] {
  return pathsOf(cids).flatMap((path) => [
    ...formats.map((format) => ({ path: `${path}?format=${format}` })),
    ...formats.map((format) => ({ path: `${path}?format=${format}&filename=x%20y.bin&download=true` })),
    ...formats.map((format) => ({ path: `${path}?format=${format}`, method: 'HEAD' })),
    ...mediaTypes.map((accept) => ({ path, headers: { accept } })),
    ...['raw', 'car', 'json'].map((format) => ({
      path: `${path}?format=${format}`,
      headers: { accept: mediaTypes[8] ?? '' },
    })),
  ]);
}

function ranged(cids: Fixtures): GatewayCase[] {
  const { tree } = cids;
  const whole = pathsOf(cids);
  const some = [
    `/ipfs/${tree}/text.txt`,
    `/ipfs/${tree}/empty.txt`,
    `/ipfs/${cids.leaf}`,
    `/ipfs/${tree}/text.txt?format=raw`,
  ];
  return [
    ...some.flatMap((path) => ranges.map((range) => ({ path, headers: { range } }))),
    ...some.map((path) => ({ path, method: 'HEAD', headers: { range: 'bytes=1-3' } })),
    ...whole.flatMap((path) => [
      { path, headers: { range: 'bytes=1-3' } },
      { path: `${path}?format=car`, headers: { range: 'bytes=1-3' } },
      { path: `${path}?format=tar`, headers: { range: 'bytes=1-3' } },
      { path: `${path}?format=raw`, headers: { range: 'bytes=1-3' } },
    ]),
    { path: `/ipfs/${tree}/text.txt`, headers: { range: 'items=1-3' } },
    { path: `/ipfs/${tree}/text.txt`, headers: { range: 'bytes=1-3', 'if-range': '"other"' } },
    { path: `/ipfs/${tree}/dated.txt`, headers: { 'if-modified-since': 'Tue, 14 Nov 2023 22:13:20 GMT' } },
    { path: `/ipfs/${tree}/dated.txt`, headers: { 'if-modified-since': 'Mon, 13 Nov 2023 22:13:20 GMT' } },
    { path: `/ipfs/${tree}/dated.txt`, headers: { 'if-unmodified-since': 'Mon, 13 Nov 2023 22:13:20 GMT' } },
    { path: `/ipfs/${tree}/text.txt`, headers: { 'if-match': '"other"' } },
    { path: `/ipfs/${tree}/text.txt`, headers: { 'if-match': '*' } },
  ];
}

function conditional(cids: Fixtures, roots: ReadonlyMap<string, string>): GatewayCase[] {
  return pathsOf(cids).flatMap((path) => {
    const cid = roots.get(path) ?? path.split('/')[2] ?? '';
    const tags = [
      ...[
        `"${cid}"`,
        `W/"${cid}"`,
        `"x", "${cid}"`,
        `"${cid}.raw"`,
        `"${cid}.dag-json"`,
        `"${cid}.dag-cbor"`,
        '*',
        '"x"',
      ],
      ...[cid, `"${cid}`, `"${cid}.json"`, `W/"${cid}.x-tar"`, `"DirIndex-x_CID-${cid}"`],
    ];
    return tags.flatMap((tag) => [
      { path, headers: { 'if-none-match': tag } },
      ...['raw', 'tar', 'dag-json', 'car'].map((format) => ({
        path: `${path}?format=${format}`,
        headers: { 'if-none-match': tag },
      })),
    ]);
  });
}

/** Returns all requests, by area. `roots` names the CIDs of paths. */
export function requestsOf(
  cids: Fixtures,
  roots: ReadonlyMap<string, string>,
): ReadonlyMap<string, readonly GatewayCase[]> {
  return new Map([
    ['content types', contentTypes(cids)],
    ['names', names(cids)],
    ['formats', formatted(cids)],
    ['ranges', ranged(cids)],
    ['conditions', conditional(cids, roots)],
    ['CAR', cars(cids)],
    ['paths of documents', dags(cids)],
    ['sites', sites(cids)],
    ['hosts', hosts(cids)],
    ['others', others(cids)],
  ]);
}

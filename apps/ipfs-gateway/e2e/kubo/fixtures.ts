import type { Block, Blockstore } from '@cairn/blockstore';
import { type CID, type CodecName, cidFor, parseCid } from '@cairn/cid';
import { encodeDag, writeCar } from '@cairn/dag';
import { importTree, profiles, type TreeEntry } from '@cairn/unixfs';

async function* content(bytes: string | Uint8Array) {
  yield Buffer.from(bytes);
}

/** Bytes without a pattern, so that each chunk is a block of its own. */
function noise(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = 7;
  for (let index = 0; index < length; index++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    bytes[index] = state >>> 16;
  }
  return bytes;
}

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const redirects = [
  '# comment',
  '/one /one.html',
  '/r301 /one.html 301',
  '/r302 /two.html 302',
  '/r303 /two.html 303',
  '/r307 /two.html 307',
  '/r308 https://example.org/x?y=1#z 308',
  '/posts/:year/:month/:title /articles/:year/:month/:title',
  '/splat/* /moved/:splat',
  '/query/* /moved/:splat?a=b',
  '/in/* /index.html 200',
  '/page /docs/one.html 200',
  '/docs-of/* /docs/:splat 200',
  '/absent/* /no-such-page 200',
  '/nf/* /404.html 404',
  '/gone/* /410.html 410',
  '/legal/* /451.html 451',
].join('\n');

/** Files of the tree, by path. */
const files: Readonly<Record<string, string | Uint8Array>> = {
  'text.txt': 'The text of a file, with 43 bytes, exactly.\n',
  'empty.txt': '',
  empty: '',
  'data.json': '{"a":1}',
  'no-extension': 'plain text without an extension',
  'json-without-extension': '{"a": [1, 2, 3]}',
  'html-without-extension': '<!DOCTYPE html><title>t</title>',
  'xml-without-extension': '<?xml version="1.0"?><a/>',
  'svg-without-extension': '<svg xmlns="http://www.w3.org/2000/svg"></svg>',
  'png-without-extension': png,
  'binary-without-extension': Uint8Array.of(0, 1, 2, 255),
  'bom-without-extension': Uint8Array.of(0xef, 0xbb, 0xbf, 0x61),
  'pdf-without-extension': '%PDF-1.7\n',
  'gzip-without-extension': Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0),
  'webm-without-extension': Uint8Array.of(0x1a, 0x45, 0xdf, 0xa3, 0, 0),
  'mp4-without-extension': Buffer.from('0000001866747970697336f6d', 'hex'),
  'page.html': '<h1>Page</h1>',
  'style.css': 'a{}',
  'script.js': 'a()',
  'module.mjs': 'a()',
  'image.svg': '<svg xmlns="http://www.w3.org/2000/svg"></svg>',
  'image.png': png,
  'readme.md': '# title',
  'code.ts': 'const a = 1;',
  'app.wasm': Uint8Array.of(0, 0x61, 0x73, 0x6d),
  'feed.xml': '<?xml version="1.0"?><a/>',
  'notes.log': 'a line',
  'table.csv': 'a,b',
  'video.mp4': noise(300),
  'audio.mp3': noise(300),
  'archive.tar.gz': noise(30),
  'unknown.zzz': 'unknown extension',
  'big.bin': noise(3 * 1024 * 1024 + 17),
  'ą/ę/file-źł.txt': 'unicode',
  'odd/100% sure?.txt': 'percent and question mark',
  'odd/a#b.txt': 'number sign',
  'odd/a b+c.txt': 'space and plus',
  'odd/"quoted" \'name\'.txt': 'quotes',
  'odd/<b>.txt': 'markup',
  'odd/a&b;c=d@e:f,g$h.txt': 'reserved characters',
  'odd/a\\b.txt': 'backslash',
  'odd/%2F.txt': 'encoded slash in the name',
  'odd/~tilde!(x)*.txt': 'marks',
  'odd/日本語.txt': 'scripts',
  'odd/😀.txt': 'outside of the basic plane',
  'with-index/index.html': '<h1>Index</h1>',
  'with-index/sub/one.txt': 'one',
  'deep/a/b/c/d/e.txt': 'deep',
  'site/index.html': '<h1>Site</h1>',
  'site/one.html': '<h1>One</h1>',
  'site/docs/one.html': '<h1>Docs</h1>',
  'site/docs/sub/index.html': '<h1>Sub</h1>',
  'site/404.html': '<h1>Custom 404</h1>',
  'site/410.html': '<h1>Custom 410</h1>',
  'site/451.html': '<h1>Custom 451</h1>',
  'site/_redirects': redirects,
  'forced/_redirects': '/a /b 301!\n',
  'bad-code/_redirects': '/a /b 418\n',
  'bad-code/found.html': 'found',
  'no-slash/_redirects': 'a /b\n',
  'only-from/_redirects': '/a\n',
  'star/_redirects': '/a/*/b /c\n',
  'crlf/_redirects': '/a /b.html\r\n/c /d.html 302\r\n',
  'large/_redirects': `/a /${'b'.repeat(66_000)}\n`,
  'legacy/ipfs-404.html': '<h1>Legacy 404</h1>',
};

/** CIDs of the fixtures, by name. */
export type Fixtures = Readonly<Record<string, string>>;

async function importFiles(blocks: Blockstore, entries: TreeEntry[], profile: keyof typeof profiles): Promise<CID> {
  let root: CID | undefined;
  for await (const { cid, isRoot } of importTree(entries, blocks, profiles[profile])) if (isRoot) root = cid;
  if (root === undefined) throw new Error('the tree has no root');
  return root;
}

/** Writes the content that both gateways serve. */
export async function writeFixtures(blocks: Blockstore): Promise<Fixtures> {
  const entries: TreeEntry[] = [
    ...Object.entries(files).map(([path, bytes]) => ({ path: `root/${path}`, content: content(bytes) })),
    { path: 'root/link', symlink: 'text.txt' },
    { path: 'root/empty-directory' },
    { path: 'root/dated.txt', content: content('dated'), mtime: { seconds: 1_700_000_000 }, mode: 0o600 },
  ];
  const shards = Array.from({ length: 3000 }, (_, index) => ({
    path: `shard/${'long name '.repeat(9)}${index}.txt`,
    content: content(`entry ${index}`),
  }));
  const tree = await importFiles(blocks, entries, 'unixfs-v1-2025');
  const old = await importFiles(
    blocks,
    [
      { path: 'old/text.txt', content: content('dag-pb file') },
      { path: 'old/big.bin', content: content(noise(600_000)) },
    ],
    'unixfs-v0-2015',
  );
  const hamt = await importFiles(blocks, shards, 'unixfs-v1-2025');
  const site = await importFiles(
    blocks,
    [...shards, { path: 'shard/index.html', content: content('<h1>Sharded</h1>') }].map((entry) => ({
      ...entry,
      content: content('x'),
    })),
    'unixfs-v1-2025',
  );
  const put = async (codec: CodecName, bytes: Uint8Array): Promise<CID> => {
    const cid = cidFor(bytes, { codec });
    await blocks.putMany([{ cid, bytes }]);
    return cid;
  };
  const leaf = await put('dag-cbor', encodeDag('dag-cbor', { hello: 'leaf' }));
  const value = { number: 1, text: '<b>', list: [1, { deep: tree }], link: leaf, file: tree, nested: { link: leaf } };
  const cbor = await put('dag-cbor', encodeDag('dag-cbor', value));
  const json = await put('dag-json', encodeDag('dag-json', value));
  const identity = parseCid('bafkqabtimvwgy3yk');
  return Object.fromEntries(
    Object.entries({
      tree,
      old,
      hamt,
      site,
      leaf,
      cbor,
      json,
      identity,
      plainJson: await put('json', Buffer.from('{"plain": true}')),
      plainCbor: await put('cbor', encodeDag('dag-cbor', { plain: true })),
      brokenCbor: await put('dag-cbor', Uint8Array.of(0xff, 0x00)),
      raw: await put('raw', Buffer.from('raw leaf')),
      brokenPb: await put('dag-pb', Uint8Array.of(0xff, 0x00)),
      pbWithoutData: await put('dag-pb', encodeDag('dag-pb', { Links: [] })),
      missing: cidFor(Buffer.from('missing'), { codec: 'raw' }),
      missingPb: cidFor(Buffer.from('missing'), { codec: 'dag-pb' }),
    }).map(([name, cid]) => [name, cid.toString()]),
  );
}

/** Returns all blocks of a store as a CAR for Kubo. */
export async function carOf(blocks: Blockstore): Promise<Uint8Array> {
  const all: Block[] = [];
  for await (const cid of blocks.keys()) all.push({ cid, bytes: await blocks.get(cid) });
  const parts: Uint8Array[] = [];
  for await (const part of writeCar([], all)) parts.push(part);
  return Buffer.concat(parts);
}

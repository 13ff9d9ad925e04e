import { cidFor } from '@cairn/cid';
import { integer, oneOf, optional } from '../domains.mjs';
import { head, majors, pbField, varint } from './encodings.mjs';

/** Maximum block size of Kubo's commands. */
const blockBytesMax = 2 * 1024 * 1024;

const block = (codec, ...pieces) => {
  const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece)));
  return { cid: cidFor(bytes, { codec }), bytes };
};
const repeat = (piece, count) => Buffer.alloc(piece.length * Math.max(0, Math.floor(count)), piece);
/** Items of `size` bytes that fill a block, at most `count`. */
const fitting = (count, size) => Math.max(1, Math.min(count, Math.floor((blockBytesMax - 64) / size)));

const leaf = block('raw', Buffer.from('leaf'));
const cborLink = ({ cid }) =>
  Buffer.concat(
    [head(majors.tag, 42), head(majors.bytes, cid.bytes.length + 1), [0], cid.bytes].map((piece) => Buffer.from(piece)),
  );
/** Link to the identity CID of no bytes: the shortest one. */
const shortLink = Buffer.from('d82a450001550000', 'hex');
const shortCid = Buffer.from('01550000', 'hex');
const pbLink = (cid, name = '', size = 0) =>
  pbField(2, Buffer.concat([pbField(1, cid), pbField(2, Buffer.from(name)), Buffer.from([0x18, ...varint(size)])]));
const fileData = (fileSize, sizes = []) =>
  pbField(
    1,
    Buffer.concat([
      Buffer.from([0x08, 2, 0x18, ...varint(fileSize)]),
      ...sizes.map((size) => Buffer.from([0x20, ...varint(size)])),
    ]),
  );
const directoryData = pbField(1, Buffer.from([0x08, 1]));

/** Single blocks of `count` items, by name. */
const wide = {
  integers: ({ count }) => block('dag-cbor', head(majors.list, fitting(count, 1)), repeat([0x01], fitting(count, 1))),
  emptyLists: ({ count }) => block('dag-cbor', head(majors.list, fitting(count, 1)), repeat([0x80], fitting(count, 1))),
  emptyTexts: ({ count }) => block('dag-cbor', head(majors.list, fitting(count, 1)), repeat([0x60], fitting(count, 1))),
  floats: ({ count }) =>
    block(
      'dag-cbor',
      head(majors.list, fitting(count, 9)),
      repeat([0xfb, 0x3f, 0xf1, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9a], fitting(count, 9)),
    ),
  keys: ({ count }) => {
    const length = fitting(count, 8);
    const entry = (n) => [0x66, ...Buffer.from(n.toString(36).padStart(6, '0')), 0x00];
    return block('dag-cbor', head(majors.map, length), Buffer.from(Array.from({ length }, (_, n) => entry(n)).flat()));
  },
  longText: ({ count }) => block('dag-cbor', head(majors.text, fitting(count, 1)), repeat([0x61], fitting(count, 1))),
  longBytes: ({ count }) => block('dag-cbor', head(majors.bytes, fitting(count, 1)), repeat([0xff], fitting(count, 1))),
  deepLists: ({ count }) => block('dag-cbor', repeat([0x81], fitting(count, 1)), [0x80]),
  deepMaps: ({ count }) => block('dag-cbor', repeat([0xa1, 0x61, 0x61], fitting(count, 3)), [0x80]),
  links: ({ count }, below) => {
    const link = cborLink(below);
    return block('dag-cbor', head(majors.list, fitting(count, link.length)), repeat(link, fitting(count, link.length)));
  },
  shortLinks: ({ count }) =>
    block(
      'dag-cbor',
      head(majors.list, fitting(count, shortLink.length)),
      repeat(shortLink, fitting(count, shortLink.length)),
    ),
  json: ({ count }) => block('dag-json', `[${'0,'.repeat(fitting(count, 2))}0]`),
  jsonKeys: ({ count }) =>
    block(
      'dag-json',
      `{${Array.from({ length: fitting(count, 11) }, (_, n) => `"${n.toString(36).padStart(6, '0')}":1`).join(',')}}`,
    ),
  jsonLinks: ({ count }, { cid }) => {
    const link = `{"/":"${cid}"}`;
    return block('dag-json', `[${`${link},`.repeat(fitting(count, link.length + 1))}${link}]`);
  },
  jsonDeep: ({ count }) => block('dag-json', '['.repeat(fitting(count, 2)), ']'.repeat(fitting(count, 2))),
  pbEmptyLinks: ({ count }) => block('dag-pb', repeat([0x12, 0x00], fitting(count, 2))),
  pbShortLinks: ({ count }) => {
    const link = pbLink(shortCid);
    return block('dag-pb', repeat(link, fitting(count, link.length)));
  },
  pbLinks: ({ count }, { cid }) => {
    const link = pbLink(cid.bytes);
    return block('dag-pb', repeat(link, fitting(count, link.length)));
  },
  directory: ({ count }, { cid }) => {
    const links = Array.from({ length: fitting(count, 52) }, (_, n) =>
      pbLink(cid.bytes, n.toString(36).padStart(6, '0'), 4),
    );
    return block('dag-pb', ...links, directoryData);
  },
  sameNames: ({ count }, { cid }) =>
    block('dag-pb', repeat(pbLink(cid.bytes, 'name', 4), fitting(count, 50)), directoryData),
  file: ({ count }, { cid }) => {
    const length = fitting(count, 48);
    return block('dag-pb', repeat(pbLink(cid.bytes, '', 4), length), fileData(4 * length, Array(length).fill(4)));
  },
  emptyFile: ({ count }) => {
    const length = fitting(count, 16);
    return block('dag-pb', repeat(pbLink(shortCid), length), fileData(0, Array(length).fill(0)));
  },
  blockSizes: ({ count }) => block('dag-pb', fileData(0, Array(fitting(count, 2)).fill(0))),
  hole: ({ count }, { cid }) => block('dag-pb', pbLink(cid.bytes, '', 4), fileData(2 ** 50 + count, [2 ** 50 + count])),
  shard: ({ count }, { cid }) => {
    const length = Math.min(256, count);
    const links = Array.from({ length }, (_, slot) =>
      pbLink(cid.bytes, `${slot.toString(16).toUpperCase().padStart(2, '0')}n${slot}`, 4),
    );
    const data = Buffer.concat([
      Buffer.from([0x08, 5]),
      pbField(2, Buffer.alloc(32, 0xff)),
      Buffer.from([0x28, 0x22, 0x30, ...varint(256)]),
    ]);
    return block('dag-pb', ...links, pbField(1, data));
  },
  raw: ({ count }) => block('raw', Buffer.alloc(fitting(count, 1), 7)),
};

/** Genes of a DAG: its widest block, and the levels above it. */
export const dagGenes = {
  shape: oneOf(...Object.keys(wide)),
  count: integer(1, 2_000_000),
  /** Levels above, each with `repeats` links to the one below. */
  above: optional(integer(1, 20_000), 0.25),
  repeats: optional(integer(1, 200), 0.3),
  /** Distinct siblings of the widest block. */
  beside: optional(integer(1, 5_000), 0.2),
};

/**
 * Creates a DAG: blocks in an order in which each follows those it links to.
 * @returns its root and its blocks
 */
export function makeDag({ shape, count, above = 0, repeats = 1, beside = 0 }) {
  const blocks = [leaf, wide[shape]({ count }, leaf)];
  const [, widest] = blocks;
  let root = widest;
  if (beside > 0) {
    const others = Array.from({ length: beside }, (_, n) => block('raw', `beside ${n}`));
    const links = [widest, ...others].map(cborLink);
    root = block('dag-cbor', head(majors.list, links.length), ...links);
    blocks.push(...others, root);
  }
  for (let level = 0; level < above; level++) {
    const links = cborLink(root);
    const length = fitting(repeats, links.length);
    root = block('dag-cbor', head(majors.list, length + 1), repeat(links, length), head(majors.integer, level));
    blocks.push(root);
    if (level > 200 && repeats > 50) break;
  }
  return { root: root.cid, blocks };
}

/** One block of a shape, for commands that take a block as their body. */
export const makeBlock = ({ shape, count }) => wide[shape]({ count }, leaf);

import { flag, integer, oneOf, optional } from '../domains.mjs';
import { head, majors, varint } from './encodings.mjs';

/** Maximum length of a body. */
const bodyBytesMax = 32 * 1024 * 1024;

const contents = {
  zeros: (size) => Buffer.alloc(size),
  counter(size, n) {
    const bytes = Buffer.alloc(size, n % 251);
    for (let at = 0; at + 4 <= size; at += 4096) bytes.writeUInt32BE((at + n) >>> 0, at);
    return bytes;
  },
  noise(size, n) {
    const bytes = Buffer.allocUnsafe(size);
    let state = n + 1;
    for (let at = 0; at < size; at++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      bytes[at] = state >>> 24;
    }
    return bytes;
  },
  lineEnds: (size) => Buffer.alloc(size, '\r\n'),
  dashes: (size) => Buffer.alloc(size, '\r\n--worst'),
  nearBoundary: (size) => Buffer.alloc(size, '\r\n--worst-boundarx'),
};

const names = {
  flat: (n) => `f${n}`,
  same: () => 'f',
  folders: (n) => `d${n}/f`,
  deep: (n, depth) => `${'d/'.repeat(depth)}f${n}`,
  chains: (n, depth) => Array.from({ length: depth }, (_, level) => `${n}-${level}`).join('/'),
  long: (n, depth) => `${'n'.repeat(Math.min(200, depth))}${n}`,
  none: () => undefined,
};

/** Genes of a multipart form. */
export const formGenes = {
  parts: optional(integer(1, 210_000), 0.4),
  partBytes: integer(0, 16 * 1024 * 1024),
  content: oneOf(...Object.keys(contents)),
  naming: oneOf(...Object.keys(names)),
  depth: integer(1, 4_000),
  partType: oneOf('application/octet-stream', 'application/x-directory', 'application/symlink', 'text/plain'),
  headerBytes: optional(integer(0, 17_000), 0.15),
  headerLines: optional(integer(1, 4_000), 0.15),
  boundaryBytes: optional(integer(1, 200), 0.15),
  isChunked: optional(flag, 0.2),
  isCut: optional(flag, 0.1),
};

/** A multipart form with parts of `bytes`, or created from the genes. */
export function formOf(genes, name, bytes) {
  const {
    parts = 1,
    partBytes,
    content,
    naming,
    depth,
    partType,
    headerBytes = 0,
    headerLines = 1,
    boundaryBytes,
    isCut,
  } = genes;
  const boundary = boundaryBytes === undefined ? 'worst-boundary' : 'b'.repeat(boundaryBytes);
  const pieces = [];
  const extra = headerBytes > 0 ? `X-Extra: ${'x'.repeat(headerBytes)}\r\n` : '';
  const lines = headerLines > 1 ? 'X: y\r\n'.repeat(headerLines) : '';
  let length = 0;
  for (let n = 0; n < parts && length < bodyBytesMax; n++) {
    const fileName = names[naming](n, depth);
    const part = bytes ?? (partType === 'application/x-directory' ? Buffer.alloc(0) : contents[content](partBytes, n));
    const disposition = `form-data; name="${name}"${fileName === undefined ? '' : `; filename="${encodeURIComponent(fileName)}"`}`;
    const start = `--${boundary}\r\nContent-Disposition: ${disposition}\r\nContent-Type: ${partType}\r\n${extra}${lines}\r\n`;
    pieces.push(Buffer.from(start, 'latin1'), part, Buffer.from('\r\n'));
    length += start.length + part.length + 2;
  }
  if (!isCut) pieces.push(Buffer.from(`--${boundary}--\r\n`));
  return {
    body: Buffer.concat(pieces),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    isChunked: genes.isChunked,
  };
}

/** Genes of a CAR of a DAG. */
export const carGenes = {
  roots: optional(integer(0, 110_000), 0.25),
  copies: optional(integer(1, 2_000), 0.15),
  emptyBlocks: optional(integer(1, 200_000), 0.15),
  version: optional(oneOf(2, 3), 0.1),
  isHeaderLong: optional(flag, 0.05),
};

/** Creates a CAR of the blocks of a DAG with the additions of its genes. */
export function carOf(
  { root, blocks },
  { roots = 1, copies = 1, emptyBlocks = 0, version = 1, isHeaderLong = false } = {},
) {
  const link = Buffer.concat([
    Buffer.from([...head(majors.tag, 42), ...head(majors.bytes, root.bytes.length + 1), 0]),
    root.bytes,
  ]);
  const text = (value) => Buffer.from([...head(majors.text, value.length), ...Buffer.from(value)]);
  const header = Buffer.concat([
    Buffer.from(head(majors.map, 2)),
    text('roots'),
    Buffer.from(head(majors.list, roots)),
    Buffer.alloc(link.length * roots, link),
    text('version'),
    Buffer.from([version]),
    ...(isHeaderLong ? [Buffer.alloc(4_000_000, 0x60)] : []),
  ]);
  const section = (cid, bytes) => [Buffer.from(varint(cid.length + bytes.length)), cid, bytes];
  const sections = blocks.flatMap(({ cid, bytes }) => section(Buffer.from(cid.bytes), Buffer.from(bytes)));
  const once = Buffer.concat(sections);
  const times = Math.max(1, Math.min(copies, Math.floor(bodyBytesMax / (once.length + 1))));
  const empty = Buffer.concat(section(Buffer.from('01550000', 'hex'), Buffer.alloc(0)));
  return Buffer.concat([
    Buffer.from(varint(header.length)),
    header,
    Buffer.alloc(once.length * times, once),
    Buffer.alloc(empty.length * emptyBlocks, empty),
  ]);
}

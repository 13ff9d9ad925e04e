const block = 512;
const textOf = (bytes) => bytes.toString('utf8').replace(/\0[\s\S]*$/, '');
/** Entries without a stored time get the time of the request: all later times count as that. */
const noTimeFrom = 1_750_000_000;

/** Lists entries of a tar archive with the fields of their headers and PAX records. */
export function entriesOf(archive) {
  const entries = [];
  let records = {};
  for (let at = 0; at + block <= archive.length; ) {
    const header = archive.subarray(at, at + block);
    if (header.every((byte) => byte === 0)) break;
    const size = numberIn(header.subarray(124, 136));
    const content = archive.subarray(at + block, at + block + size);
    at += block + Math.ceil(size / block) * block;
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === 'x') records = recordsIn(content);
    else {
      entries.push(entryOf(header, type, content, records));
      records = {};
    }
  }
  return entries;
}

function entryOf(header, type, content, records) {
  const prefix = textOf(header.subarray(345, 500));
  const name = records.path ?? (prefix === '' ? '' : `${prefix}/`) + textOf(header.subarray(0, 100));
  const seconds = Number(records.mtime ?? numberIn(header.subarray(136, 148)));
  return {
    name: name.replace(/\/$/, ''),
    type,
    mode: numberIn(header.subarray(100, 108)),
    mtime: seconds > noTimeFrom ? 'now' : seconds,
    target: records.linkpath ?? textOf(header.subarray(157, 257)),
    content: content.toString('base64'),
  };
}

function numberIn(field) {
  if ((field[0] ?? 0) < 0x80) return Number.parseInt(textOf(field).trim() || '0', 8);
  // Base-256 encoding of GNU tar, in two's complement.
  const value = field.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n) & ((1n << 95n) - 1n);
  return Number(field[0] === 0xff ? value - (1n << 95n) : value);
}

function recordsIn(content) {
  const records = {};
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(' ', at);
    const length = Number(content.subarray(at, space).toString());
    const [, name, value] = /^([^=]*)=([\s\S]*)\n$/.exec(content.subarray(space + 1, at + length).toString()) ?? [];
    if (name === undefined || !(length > 0)) break;
    records[name] = value;
    at += length;
  }
  return records;
}

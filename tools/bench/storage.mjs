import { Readable } from 'node:stream';
import { request } from 'undici';
import { load, report } from './lib/load.mjs';
import { diskRate, hashRate } from './lib/machine.mjs';

const MiB = 1024 * 1024;
const boundary = 'bench';
const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\nContent-Type: application/octet-stream\r\n\r\n`;
const tail = `\r\n--${boundary}--\r\n`;

/** add and cat of one large file, and of many small ones, beside the disk and the hash function. */
export async function benchStorage({ storage, authorization, home, mebibytes = 1024, small = 10_000, bare }) {
  const headers = { authorization, 'content-type': `multipart/form-data; boundary=${boundary}` };
  const disk = diskRate(home, mebibytes);
  report('machine: write and fdatasync', disk, 'MiB/s');
  report('machine: sha2-256, one core', hashRate(), 'MiB/s');

  const piece = Buffer.alloc(MiB);
  const body = function* () {
    yield Buffer.from(head);
    for (let n = 0; n < mebibytes; n++) {
      piece.fill(n % 251).writeUInt32BE(n);
      yield Buffer.from(piece);
    }
    yield Buffer.from(tail);
  };
  let start = performance.now();
  const added = await request(`${storage}/api/v0/add?cid-version=1`, {
    method: 'POST',
    headers,
    body: Readable.from(body()),
    headersTimeout: 0,
  });
  const { Hash } = JSON.parse(await added.body.text());
  report(
    `add one file of ${mebibytes} MiB`,
    mebibytes / ((performance.now() - start) / 1000),
    'MiB/s',
    'the disk',
    disk,
  );

  start = performance.now();
  const { body: bytes } = await request(`${storage}/api/v0/cat?arg=${Hash}`, {
    method: 'POST',
    headers: { authorization },
  });
  let length = 0;
  for await (const chunk of bytes) length += chunk.length;
  if (length !== mebibytes * MiB) throw new Error(`cat gave ${length} bytes`);
  report(`cat it, every block verified`, mebibytes / ((performance.now() - start) / 1000), 'MiB/s');

  const content = (n) =>
    Buffer.concat([
      Buffer.from(`${head}${String(n).padStart(12, '0')}`),
      Buffer.alloc(4084, n % 251),
      Buffer.from(tail),
    ]);
  const adds = await load(storage, {
    count: small,
    next: (n) => ({ path: '/api/v0/add', method: 'POST', headers, body: content(n) }),
  });
  report(`add ${small} files of 4 KiB, each durable`, adds.perSecond, '/s', 'bare HTTP', bare);

  const one = await request(`${storage}/api/v0/add`, { method: 'POST', headers, body: content(1) });
  const { Hash: hash } = JSON.parse(await one.body.text());
  const cats = await load(storage, {
    count: small,
    next: () => ({ path: `/api/v0/cat?arg=${hash}`, method: 'POST', headers: { authorization } }),
  });
  report('cat 4 KiB', cats.perSecond, '/s', 'bare HTTP', bare);
}

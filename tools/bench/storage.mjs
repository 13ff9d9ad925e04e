import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { measureAddStream } from './add-stream.mjs';
import { load, report } from './lib/load.mjs';
import { diskRate, hashRate } from './lib/machine.mjs';

const MiB = 1024 * 1024;
const boundary = 'bench';
const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\nContent-Type: application/octet-stream\r\n\r\n`;
const tail = `\r\n--${boundary}--\r\n`;

/**
 * Measures add and cat of one large file and of many small ones, beside the disk, the hash function and, on request,
 * another server of the same API.
 */
export async function benchStorage({
  storage,
  authorization,
  home,
  mebibytes = 1024,
  small = 10_000,
  bare,
  pid,
  peer,
}) {
  const disk = diskRate(home, mebibytes);
  report('machine: write and fdatasync', disk, 'MiB/s');
  report('machine: sha2-256, one core', hashRate(), 'MiB/s');
  const ours = await measure({ url: storage, authorization, mebibytes, small, pid });
  const theirs = peer && (await measure({ url: peer, authorization: peerAuthorization(peer), mebibytes, small }));
  const line = (name, key, unit, limitName, limit) => {
    report(name, ours[key], unit, limitName, limit);
    if (theirs) report(`  beside ${new URL(peer).host}`, ours[key], unit, 'the peer', theirs[key]);
  };
  line(`add one file of ${mebibytes} MiB`, 'add', 'MiB/s', 'the disk', disk);
  if (ours.peakMiB) report('  memory of the process at its peak', ours.peakMiB, 'MiB');
  line('cat it, every block verified', 'cat', 'MiB/s', 'one core of sha2-256', hashRate());
  line(`add ${small} files of 4 KiB, each durable`, 'smallAdds', '/s', 'bare HTTP', bare);
  line('cat 4 KiB', 'smallCats', '/s', 'bare HTTP', bare);
  line('add 2,000 small files in one request', 'filesPerSecond', '/s', 'bare HTTP', undefined);
  line('first line of an add that pauses', 'firstLineMs', 'ms', 'bare HTTP', undefined);
  for (const [size, milliseconds] of ours.firstByte)
    console.log(`first byte of a cat of ${size} MiB`.padEnd(48), milliseconds.toFixed(1).padStart(8), 'ms');
}

function peerAuthorization(peer) {
  const { username, password } = new URL(peer);
  return username ? `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` : undefined;
}

async function measure({ url, authorization, mebibytes, small, pid }) {
  const { hostname, port } = new URL(url);
  const target = { hostname, port, authorization };
  const added = await addLarge(target, mebibytes);
  const peakMiB = pid && peakOf(pid);
  const streamed = await measureAddStream({ url, authorization });
  const middle = await addLarge(target, 64);
  const little = await addLarge(target, 1);
  const firstByte = [];
  for (const { hash, size } of [little, middle, added]) firstByte.push([size, (await cat(target, hash, 1)).firstMs]);
  const { seconds, bytes } = await cat(target, added.hash);
  if (bytes !== mebibytes * MiB) throw new Error(`cat gave ${bytes} bytes`);
  const origin = `http://${hostname}:${port}`;
  const headers = {
    ...(authorization && { authorization }),
    'content-type': `multipart/form-data; boundary=${boundary}`,
  };
  const content = (n) =>
    Buffer.concat([
      Buffer.from(`${head}${String(n).padStart(12, '0')}`),
      Buffer.alloc(4084, n % 251),
      Buffer.from(tail),
    ]);
  const adds = await load(origin, {
    count: small,
    next: (n) => ({ path: '/api/v0/add', method: 'POST', headers, body: content(n) }),
  });
  const answer = await fetch(`${origin}/api/v0/add`, { method: 'POST', headers, body: content(1) });
  const { Hash } = await answer.json();
  const cats = await load(origin, {
    count: small,
    next: () => ({
      path: `/api/v0/cat?arg=${Hash}`,
      method: 'POST',
      headers: { ...(authorization && { authorization }) },
    }),
  });
  return {
    ...streamed,
    add: mebibytes / added.seconds,
    peakMiB,
    cat: mebibytes / seconds,
    smallAdds: adds.perSecond,
    smallCats: cats.perSecond,
    firstByte,
  };
}

/** Sends a file of distinct blocks over a bare socket, so that the sender costs little. */
function addLarge({ hostname, port, authorization }, mebibytes) {
  const length = head.length + mebibytes * MiB + tail.length;
  return new Promise((resolve, reject) => {
    const socket = connect(port, hostname);
    socket.once('error', reject);
    const start = performance.now();
    socket.write(
      requestHead('add?cid-version=1', authorization, length, `multipart/form-data; boundary=${boundary}`) + head,
    );
    const piece = Buffer.alloc(MiB, mebibytes % 251);
    let sent = 0;
    const pump = () => {
      while (sent < mebibytes) {
        const bytes = Buffer.from(piece);
        for (let at = 0; at < 4; at++) bytes.writeUInt32BE(sent, (at * MiB) / 4);
        sent++;
        if (!socket.write(bytes)) return socket.once('drain', pump);
      }
      socket.write(tail);
    };
    pump();
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
      const hash = /"Hash":"(\w+)"/.exec(answer)?.[1];
      if (!hash) return;
      socket.destroy();
      resolve({ hash, size: mebibytes, seconds: (performance.now() - start) / 1000 });
    });
  });
}

/** Reads a file over a bare socket, up to `bytesMax` bytes of the answer, and counts the bytes of the body. */
function cat({ hostname, port, authorization }, hash, bytesMax = Number.POSITIVE_INFINITY) {
  return new Promise((resolve, reject) => {
    const buffer = Buffer.alloc(MiB);
    const start = performance.now();
    let firstMs;
    let wire = 0;
    let length;
    const end = () => {
      socket.destroy();
      resolve({ firstMs, seconds: (performance.now() - start) / 1000, bytes: length });
    };
    const callback = (count) => {
      if (length === undefined) {
        const text = buffer.subarray(0, count).toString('latin1');
        length = Number(/x-content-length: (\d+)/i.exec(text)?.[1]);
        if (text.indexOf('\r\n\r\n') + 4 < count) firstMs = performance.now() - start;
      } else firstMs ??= performance.now() - start;
      wire += count;
      const isLast = count >= 5 && buffer.subarray(count - 5, count).toString('latin1') === '0\r\n\r\n';
      if ((firstMs !== undefined && wire > bytesMax) || isLast) end();
      return true;
    };
    const socket = connect({ port, host: hostname, onread: { buffer, callback } });
    socket.once('error', reject);
    socket.write(requestHead(`cat?arg=${hash}`, authorization, 0));
  });
}

function requestHead(command, authorization, length, type) {
  return [
    `POST /api/v0/${command} HTTP/1.1`,
    'host: bench',
    `content-length: ${length}`,
    ...(authorization ? [`authorization: ${authorization}`] : []),
    ...(type ? [`content-type: ${type}`] : []),
    '\r\n',
  ].join('\r\n');
}

/** Peak memory of a process in MiB; Linux only. */
function peakOf(pid) {
  try {
    const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes && Number(kilobytes) / 1024;
  } catch {
    return undefined;
  }
}

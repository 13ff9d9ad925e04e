import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { HttpResponses } from '../lib/http-responses.mjs';
import { syncedWriteRate } from '../lib/machine.mjs';
import { counter, measureRate, postRequest } from '../lib/measure-rate.mjs';
import { middle } from './report.mjs';

const MiB = 1024 * 1024;
const boundary = 'bench';
const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\nContent-Type: application/octet-stream\r\n\r\n`;
const tail = `\r\n--${boundary}--\r\n`;
const smallBytes = 4096;
/** Blocks of the DAG that is unpinned, and the bytes of each. */
const leaves = 50_000;
const leafBytes = 256;
/** Times that it is unpinned in one measurement: one takes milliseconds and varies tenfold with the disk. */
const unpins = 5;

const authorizationOf = ({ authorization }) => (authorization ? { authorization } : {});
const uploadHeaders = (server) => ({
  ...authorizationOf(server),
  'content-type': `multipart/form-data; boundary=${boundary}`,
});
const smallFile = `${counter}${'x'.repeat(smallBytes - counter.length)}`;

/** Rows of the storage API beside Kubo, where a row names no other peer. A large file has `mebibytes` MiB. */
export function storageRows(mebibytes) {
  const large = mebibytes % 1024 === 0 ? `${mebibytes / 1024} GiB` : `${mebibytes} MiB`;
  return [
    {
      name: 'cat 4 KiB',
      goal: 2,
      async measure(server, { seconds }) {
        const cid = await addBytes(server, Buffer.alloc(smallBytes, 7));
        const url = `${server.url}/api/v0/cat?arg=${cid}`;
        return await measureRate(url, { request: postRequest(url, { headers: authorizationOf(server) }), seconds });
      },
    },
    {
      name: 'add 4 KiB, durable (Kubo: without sync)',
      goal: 4,
      async measure(server, { seconds }) {
        const url = `${server.url}/api/v0/add`;
        const request = postRequest(url, { headers: uploadHeaders(server), body: `${head}${smallFile}${tail}` });
        return await measureRate(url, { request, seconds });
      },
    },
    { name: `add ${large}, durable (Kubo: without sync)`, goal: 1, unit: 'MiB/s', measure: addLarge(mebibytes) },
    {
      name: `add ${large}, durable`,
      peer: 'disk, synced writes',
      goal: 0.9,
      unit: 'MiB/s',
      measure: async (server) =>
        server.directory === undefined
          ? await addLarge(mebibytes)(server)
          : { perSecond: syncedWriteRate(server.directory, mebibytes) },
    },
    { name: `cat ${large}`, goal: 2, unit: 'MiB/s', measure: catLarge(mebibytes) },
    { name: `unpin a DAG of ${leaves.toLocaleString('en')} blocks`, goal: 1, measure: unpinLarge },
  ];
}

/** Adds a large file of new bytes, removes its pin, and keeps the CID for the row of cat. */
function addLarge(mebibytes) {
  return async (server) => {
    const start = performance.now();
    server.largeCid = await addBytes(server, randomPieces(mebibytes), mebibytes * MiB);
    return { perSecond: mebibytes / secondsSince(start) };
  };
}

function catLarge(mebibytes) {
  return async (server) => {
    const start = performance.now();
    const bytes = await post(server, `cat?arg=${server.largeCid}`);
    if (bytes !== mebibytes * MiB) throw new Error(`cat returns ${bytes} bytes.`);
    return { perSecond: mebibytes / secondsSince(start) };
  };
}

async function unpinLarge(server) {
  await warmUnpin(server);
  const cid = await addBytes(server, randomBytes(leaves * leafBytes), undefined, `&chunker=size-${leafBytes}`);
  const times = [];
  for (let count = 0; count < unpins; count++) {
    if (count > 0) await post(server, `pin/add?arg=${cid}`);
    const start = performance.now();
    await post(server, `pin/rm?arg=${cid}`);
    times.push(secondsSince(start));
  }
  return { perSecond: 1 / middle(times) };
}

/**
 * Unpins small files on connections of their own, once: the large one of the warm-up round reaches one process of a service only,
 * and the first `pin/rm` of a process takes several times as long as the next ones.
 */
async function warmUnpin(server) {
  if (server.hasUnpinned) return;
  server.hasUnpinned = true;
  for (let at = 0; at < 16; at++) await post(server, `pin/rm?arg=${await addBytes(server, randomBytes(leafBytes))}`);
}

const secondsSince = (start) => (performance.now() - start) / 1000;

/** One random MiB, whose head differs in each piece, so that all blocks of 256 KiB are new. */
function* randomPieces(mebibytes) {
  const piece = randomBytes(MiB);
  for (let sent = 0; sent < mebibytes; sent++) {
    const bytes = Buffer.from(piece);
    for (let at = 0; at < 4; at++) bytes.writeUInt32BE(sent + 1, (at * MiB) / 4);
    yield bytes;
  }
}

/** Adds one file over a bare socket, so that the sender costs little. @returns its CID */
function addBytes(server, content, length = content.length, options = '') {
  const pieces = Buffer.isBuffer(content) ? [content] : content;
  const path = `add?cid-version=1&progress=false${options}`;
  return exchange(server, { path, length: head.length + length + tail.length, pieces: framed(pieces) }, (text) => {
    const cid = /"Hash":"(\w+)"/.exec(text)?.[1];
    if (cid === undefined) throw new Error(`add is answered with ${text.slice(-300)}`);
    return cid;
  });
}

function* framed(pieces) {
  yield Buffer.from(head);
  yield* pieces;
  yield Buffer.from(tail);
}

/** Sends a command without a body and counts the bytes of its response. */
function post(server, path) {
  return exchange(server, { path, length: 0, pieces: [] }, (_, bodyBytes) => bodyBytes);
}

/** Sends one request on a connection of its own. @returns what `read` makes of the end of the response and its length */
function exchange(server, { path, length, pieces }, read) {
  const { hostname, port } = new URL(server.url);
  const headers = length > 0 ? uploadHeaders(server) : authorizationOf(server);
  const lines = Object.entries({ host: hostname, 'content-length': length, ...headers });
  const start = `POST /api/v0/${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  return new Promise((resolve, reject) => {
    const responses = new HttpResponses();
    let last = '';
    const buffer = Buffer.alloc(MiB);
    const onread = {
      buffer,
      callback(count) {
        try {
          const bytes = buffer.subarray(0, count);
          if (length > 0) last = (last + bytes.toString('latin1')).slice(-4096);
          if (responses.push(bytes) === 0) return true;
          socket.destroy();
          if (responses.status !== 200) throw new Error(`${path} is answered with ${responses.status}: ${last}`);
          resolve(read(last, responses.bodyBytes));
        } catch (error) {
          socket.destroy();
          reject(error);
        }
        return true;
      },
    };
    const socket = connect({ host: hostname, port: Number(port), onread });
    socket.once('error', reject);
    socket.write(start);
    const source = pieces[Symbol.iterator]();
    const pump = () => {
      for (let next = source.next(); !next.done; next = source.next())
        if (!socket.write(next.value)) return void socket.once('drain', pump);
    };
    pump();
  });
}

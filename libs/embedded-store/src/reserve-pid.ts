import { readdirSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { StoreError } from './errors.ts';
import { pidNamespace, processName } from './process-identity.ts';

/** Linux gives the first namespace this number; the numbers of processes in it are not given to others. */
const firstNamespace = 'pid:[4026531836]';
const answerMs = 1_000;

/**
 * LMDB tells processes apart by their number, and waits for ever where two of them have the same one, as the first processes
 * of two containers do. In a PID namespace of its own each process therefore listens on a socket that is named by its
 * number, and whoever finds that taken by another process refuses to open the store.
 * @returns what gives the number back
 * @throws STORE_UNAVAILABLE
 */
export async function reservePid(directory: string): Promise<() => void> {
  const namespace = pidNamespace();
  if (namespace === '' || namespace === firstNamespace) return () => {};
  const path = join(directory, `process-${process.pid}.sock`);
  const holder = await socketOwner(path);
  if (holder !== undefined && holder !== processName()) throw pidConflict(directory);
  // The main thread answers for all threads, and no thread answers twice.
  if (holder !== undefined || !isMainThread) return () => {};
  await removeStaleSockets(directory);
  const server = await listen(path);
  return () => void server?.close();
}

function pidConflict(directory: string): StoreError {
  return new StoreError(
    'STORE_UNAVAILABLE',
    `The store in ${directory} is open in another container, in a process that has the number ${process.pid} too.`,
    {
      hint: 'Containers that share a store must share a PID namespace: "pid: service:NAME" in a compose file, "shareProcessNamespace: true" in a pod.',
      details: { directory },
    },
  );
}

/** Sockets of processes that were killed stay as files. */
async function removeStaleSockets(directory: string): Promise<void> {
  for (const name of readdirSync(directory).filter((file) => /^process-\d+\.sock$/.test(file)))
    if ((await socketOwner(join(directory, name))) === undefined) rmSync(join(directory, name), { force: true });
}

/** Whose socket it is; `undefined` where nobody answers. */
function socketOwner(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = createConnection(path)
      .setEncoding('utf8')
      .setTimeout(answerMs, () => socket.destroy())
      .on('data', (text) => {
        answer += text;
      })
      .once('error', () => {})
      .once('close', () => resolve(answer === '' ? undefined : answer));
  });
}

/** `undefined` where no socket can be made, such as on a path that is too long for one: then nothing is claimed. */
function listen(path: string): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.end(processName());
    });
    server.unref();
    server.once('error', () => resolve(undefined));
    server.listen(path, () => resolve(server));
  });
}

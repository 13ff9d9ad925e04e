import { readdirSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { StoreError } from './errors.ts';
import { pidNamespace, processName } from './process-identity.ts';

/** The initial PID namespace of Linux. Process numbers in it are unique on the machine. */
const initialNamespace = 'pid:[4026531836]';
const answerMs = 1_000;

/**
 * Reserves the number of this process in a store. LMDB identifies processes by number and deadlocks when two have the same
 * number, as the first processes of two containers do. Outside the initial PID namespace each process therefore listens on
 * a socket named by its number. A process that finds the socket in use refuses to open the store.
 * @returns a function that releases the number
 * @throws STORE_UNAVAILABLE
 */
export async function reservePid(directory: string): Promise<() => void> {
  const namespace = pidNamespace();
  if (namespace === '' || namespace === initialNamespace) return () => {};
  const path = join(directory, `process-${process.pid}.sock`);
  const holder = await socketOwner(path);
  if (holder !== undefined && holder !== processName()) throw pidConflict(directory);
  // The main thread owns the socket for all threads.
  if (holder !== undefined || !isMainThread) return () => {};
  await removeStaleSockets(directory);
  const server = await listen(path);
  return () => void server?.close();
}

function pidConflict(directory: string): StoreError {
  return new StoreError(
    'STORE_UNAVAILABLE',
    `The store in ${directory} is open in another container by a process with the same number, ${process.pid}.`,
    {
      hint: 'Share one PID namespace among all containers of a store: "pid: service:NAME" in a compose file, "shareProcessNamespace: true" in a pod.',
      details: { directory },
    },
  );
}

/** Removes socket files of killed processes. */
async function removeStaleSockets(directory: string): Promise<void> {
  for (const name of readdirSync(directory).filter((file) => /^process-\d+\.sock$/.test(file)))
    if ((await socketOwner(join(directory, name))) === undefined) rmSync(join(directory, name), { force: true });
}

/** Resolves to the name of the process that owns a socket; `undefined` without an answer. */
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

/** Opens the socket. Resolves to `undefined` if that fails, for example for a path that is too long; the number is then not reserved. */
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

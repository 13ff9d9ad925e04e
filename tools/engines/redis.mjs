import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../peers/free-port.mjs';
import { runProgram, startServer } from '../peers/process.mjs';
import { engineProgram } from './programs.mjs';

/**
 * Starts a Redis (or Valkey) server on a free loopback port, over a temporary directory.
 * @param {{ isCluster?: boolean, port?: number }} [options]
 * @returns its URL, child process and what stops it; undefined where Redis is not installed
 */
export async function startRedis({ isCluster = false, port } = {}) {
  const command = engineProgram('redis');
  if (command === undefined) return undefined;
  const directory = mkdtempSync(join(tmpdir(), 'cairn-redis-'));
  const chosen = port ?? (await freePort());
  const cluster = isCluster ? ['--cluster-enabled', 'yes', '--cluster-port', String(await freePort())] : [];
  const common = [
    '--bind',
    '127.0.0.1',
    '--port',
    String(chosen),
    '--dir',
    directory,
    '--save',
    '',
    '--appendonly',
    'no',
  ];
  const start = () =>
    startServer({
      name: 'redis',
      command,
      args: [...common, ...cluster],
      isReady: () => answers(chosen, 'PING', '+PONG'),
    });
  let server = await start();
  return {
    url: `redis://127.0.0.1:${chosen}`,
    port: chosen,
    get child() {
      return server.child;
    },
    /** Removes all keys. */
    flush: () => answers(chosen, 'FLUSHALL', '+OK'),
    kill: () => server.child.kill('SIGKILL'),
    /** Starts it again after `kill`, on the same port and without its data. */
    async start() {
      server = await start();
    },
    pause: () => server.child.kill('SIGSTOP'),
    resume: () => server.child.kill('SIGCONT'),
    async stop() {
      server.child.kill('SIGCONT');
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Starts three Redis servers as one cluster. */
export async function startRedisCluster() {
  const command = engineProgram('redis');
  if (command === undefined) return undefined;
  const nodes = [];
  for (let count = 0; count < 3; count++) nodes.push(await startRedis({ isCluster: true }));
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`);
  const client = command.replace(/-server$/, '-cli');
  await runProgram(client, ['--cluster', 'create', ...addresses, '--cluster-yes']);
  // A server refuses commands until it has heard of all slots.
  while (
    !(await Promise.all(nodes.map(({ port }) => answers(port, 'CLUSTER INFO', 'cluster_state:ok')))).every(Boolean)
  )
    await new Promise((resolve) => setTimeout(resolve, 20));
  return { nodes, urls: nodes.map(({ url }) => url), stop: () => Promise.all(nodes.map(({ stop }) => stop())) };
}

/** Reports whether the answer of a server to a command contains a text. */
function answers(port, command, expected) {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1', timeout: 1000 });
    const end = (result) => {
      socket.destroy();
      resolve(result);
    };
    socket.once('connect', () => socket.write(`${command}\r\n`));
    socket.once('data', (bytes) => end(bytes.toString().includes(expected)));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}

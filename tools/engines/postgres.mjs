import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePort } from '../peers/free-port.mjs';
import { runProgram } from '../peers/process.mjs';
import { engineProgram } from './programs.mjs';

/** Settings of test servers: loopback only, durable commits, small memory. */
const configuration = ['listen_addresses=127.0.0.1', 'max_connections=200', 'shared_buffers=64MB', 'fsync=on'];

/** Databases that this process has created. */
let databases = 0;

/**
 * Starts a PostgreSQL server with an empty database on a free loopback port, over a temporary directory. As root it runs as
 * the user `postgres`, since PostgreSQL refuses root.
 * @returns its URL and what stops, kills, pauses and replicates it; undefined where PostgreSQL is not installed
 */
export async function startPostgres() {
  const server = engineProgram('postgres');
  if (server === undefined) return undefined;
  const home = createHome();
  const data = join(home, 'data');
  const programs = dirname(server);
  await run(programs, 'initdb', ['-D', data, '-U', 'cairn', '-A', 'trust', '--no-locale', '-E', 'UTF8']);
  return start({ programs, home, data, port: await freePort() });
}

async function start({ programs, home, data, port }) {
  const options = [`-p ${port}`, ...configuration.map((line) => `-c ${line}`), `-c unix_socket_directories=${home}`];
  const control = (...args) => run(programs, 'pg_ctl', ['-D', data, '-w', '-t', '60', ...args]);
  const startServer = () => control('-l', join(home, 'log'), '-o', options.join(' '), 'start');
  await startServer();
  return {
    url: `postgres://cairn@127.0.0.1:${port}/postgres`,
    port,
    home,
    /** Creates an empty database and returns its URL. */
    async createDatabase() {
      const name = `test_${++databases}`;
      await run(programs, 'createdb', ['-h', '127.0.0.1', '-p', String(port), '-U', 'cairn', name]);
      return `postgres://cairn@127.0.0.1:${port}/${name}`;
    },
    /** Starts it again after `stop` or `kill`, on the same port and data. */
    start: startServer,
    /** Ends it as a restart does: open transactions are rolled back. */
    stop: () => control('-m', 'fast', 'stop'),
    /** Ends it without a shutdown, as a crash does. */
    kill: () => control('-m', 'immediate', 'stop'),
    pause: () => signalAll(data, 'SIGSTOP'),
    resume: () => signalAll(data, 'SIGCONT'),
    /** Makes a standby the primary server. */
    promote: () => control('promote'),
    /** Starts a streaming standby of this server. */
    async startStandby() {
      const standbyHome = createHome();
      const standbyData = join(standbyHome, 'data');
      const source = ['-h', '127.0.0.1', '-p', String(port), '-U', 'cairn'];
      await run(programs, 'pg_basebackup', [...source, '-D', standbyData, '-R', '-X', 'stream', '-c', 'fast']);
      return start({ programs, home: standbyHome, data: standbyData, port: await freePort() });
    },
    /** Ends it and removes its files. */
    async remove() {
      await control('-m', 'immediate', 'stop').catch(() => {});
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Creates a directory that the user of the server can write. */
function createHome() {
  const home = mkdtempSync(join(tmpdir(), 'cairn-postgres-'));
  if (isRoot()) spawnSync('chown', ['postgres:postgres', home]);
  else chmodSync(home, 0o700);
  return home;
}

function run(programs, program, args) {
  const path = join(programs, program);
  if (!isRoot()) return runProgram(path, args);
  const user = ['--reuid=postgres', '--regid=postgres', '--clear-groups', '--'];
  return runProgram('setpriv', [...user, path, ...args], { HOME: tmpdir() });
}

function isRoot() {
  return process.getuid?.() === 0;
}

/** Sends a signal to the server and to the process of each connection. */
function signalAll(data, signal) {
  const [pid = ''] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
  const children = spawnSync('ps', ['-o', 'pid=', '--ppid', pid], { encoding: 'utf8' }).stdout.split(/\s+/);
  for (const each of [pid, ...children].filter(Boolean)) process.kill(Number(each), signal);
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

const main = new URL('./group-service.fixture.mjs', import.meta.url).pathname;
const home = mkdtempSync(join(tmpdir(), 'cairn-group-'));
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(home, { recursive: true });
});

type Line = Readonly<Record<string, unknown>>;

function start(env: Readonly<Record<string, string>> = {}) {
  const settings = { CAIRN_HOME: home, CAIRN_PROCESSES: '2', STORAGE_API_PORT: '0', LOG_LEVEL: 'debug', ...env };
  const child = spawn(process.execPath, [main], {
    cwd: home,
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const lines: Line[] = [];
  let text = '';
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(JSON.parse(line));
    child.emit('line');
  });
  child.stderr.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  const exit = once(child, 'close').then(([code]) => ({ code, lines, text }));
  /** Resolves when so many lines have this message. */
  const logged = async (message: string, count = 1): Promise<Line> => {
    for (;;) {
      const found = lines.filter(({ msg }) => msg === message);
      if (found.length >= count) return found.at(-1) as Line;
      await Promise.race([once(child, 'line'), exit.then(() => Promise.reject(new Error(`no ${message}: ${text}`)))]);
    }
  };
  return { child, lines, logged, exit };
}

interface Answer {
  readonly pid: number;
  readonly isLeading: boolean;
  readonly heard: readonly string[];
}

/** Sends requests, each on a new connection, so that they reach all processes in turn. */
async function get(port: unknown, path = '/'): Promise<Answer> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } });
  return (await answer.json()) as Answer;
}

async function processesOf(port: unknown): Promise<ReadonlyMap<number, Answer>> {
  const answers = await Promise.all(Array.from({ length: 8 }, () => get(port)));
  return new Map(answers.map((answer) => [answer.pid, answer]));
}

const eventually = async (holds: () => Promise<boolean>) => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
};

// The list of the children of a process exists on Linux only.
const testOnLinux = process.platform === 'linux' ? test : test.skip;

testOnLinux('a process that starts while the primary process is killed ends without a message', async () => {
  const { child, exit } = start();
  const list = `/proc/${child.pid}/task/${child.pid}/children`;
  while (readFileSync(list, 'utf8') === '') await nextTurn();
  child.kill('SIGKILL');
  // The process that has just started holds the same pipes, so this is its end too.
  expect((await exit).text).toBe('');
});

test('connections that no process has taken close when all processes end', async () => {
  // With the port 0 the replacements have another port, so this service is not that of the other tests.
  const service = start();
  const { port } = await service.logged('storage-api listens');
  await service.logged('a process serves', 2);
  const pids = [...(await processesOf(port)).keys()];
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  const sockets = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const socket = connect({ host: '127.0.0.1', port: Number(port) }).on('error', () => {});
      await once(socket, 'connect');
      return socket;
    }),
  );
  const closed = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  await Promise.all(closed);
  await service.logged('a process serves', 4);
});

describe('a service of two processes', () => {
  let service: ReturnType<typeof start>;
  let port: unknown;
  let adminPort: unknown;
  /** Resolves with the next line of a message. */
  const next = (message: string) =>
    service.logged(message, 1 + service.lines.filter(({ msg }) => msg === message).length);
  const metric = async (name: string) => {
    const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
    return Number(new RegExp(`^${name}\\{[^}]*\\} (\\S+)$`, 'm').exec(text)?.[1]);
  };
  beforeAll(async () => {
    service = start({ STORAGE_API_ADMIN_PORT: '0' });
    ({ port } = await service.logged('storage-api listens'));
    ({ adminPort } = await service.logged('the admin port serves metrics and health'));
    await service.logged('a process serves', 2);
  });

  test('answers from both, one of which leads', async () => {
    const processes = await processesOf(port);
    expect(processes.size).toBe(2);
    expect([...processes.values()].filter(({ isLeading }) => isLeading)).toHaveLength(1);
  });

  test('shares functions and published values', async () => {
    const counts = await Promise.all(Array.from({ length: 6 }, () => get(port, '/count')));
    expect([...counts].sort()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await get(port, '/unknown')).toMatchObject({ code: 'PROCESS_CALL_FAILED' });
    for (const word of ['one', 'two', 'three']) await get(port, `/say/${word}`);
    await eventually(async () => {
      const heard = [...(await processesOf(port)).values()].flatMap((answer) => answer.heard);
      return ['one', 'two', 'three'].every((word) => heard.includes(word));
    });
  });

  test('reports metrics and health of the whole, and totals that do not fall when a process ends', async () => {
    const before = await metric('cairn_test_total');
    for (let n = 0; n < 4; n++) await get(port);
    expect(await metric('cairn_test_total')).toBe(before + 4);
    expect(await metric('cairn_processes')).toBe(2);
    const leading = [...(await processesOf(port)).values()].find(({ isLeading }) => isLeading)?.pid ?? 0;
    const total = await metric('cairn_test_total');
    const ended = next('a process ended; it is replaced');
    process.kill(leading, 'SIGBUS');
    expect(await ended).toMatchObject({ signal: 'SIGBUS', hint: expect.stringContaining('data file was truncated') });
    expect(await metric('cairn_test_total')).toBeGreaterThanOrEqual(total);
    const ready = await fetch(`http://127.0.0.1:${adminPort}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'ok', dependencies: { test: 'ok' } }]);
    await service.logged('a process serves', 3);
    const processes = await processesOf(port);
    expect([processes.size, processes.has(leading)]).toEqual([2, false]);
    expect([...processes.values()].filter(({ isLeading }) => isLeading)).toHaveLength(1);
    expect(await metric('cairn_process_crashes_total')).toBe(1);
  });

  test('connections that a process has not taken before its end are passed to another one', async () => {
    const replaced = next('a process serves');
    const [stopped = 0] = (await processesOf(port)).keys();
    process.kill(stopped, 'SIGSTOP');
    // One of them is passed to the stopped process, which takes no further one.
    let answered = 0;
    const requests = Array.from({ length: 4 }, async () => {
      await get(port);
      answered++;
    });
    const outcomes = Promise.allSettled(requests);
    await eventually(async () => answered === 3);
    process.kill(stopped, 'SIGKILL');
    expect((await outcomes).map(({ status }) => status)).toEqual(new Array(4).fill('fulfilled'));
    await replaced;
  });

  test('SIGUSR2 replaces both without a failed request, and new processes get the kept values', async () => {
    const old = await processesOf(port);
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    const failures: unknown[] = [];
    let isLoading = true;
    let answered = 0;
    const load = Array.from({ length: 8 }, async () => {
      while (isLoading) {
        await new Promise<void>((resolve) => {
          const failed = (error: unknown) => {
            failures.push(error);
            resolve();
          };
          request({ port: Number(port), host: '127.0.0.1', agent }, (response) => {
            answered++;
            response.resume().once('end', resolve).once('error', failed);
          })
            .once('error', failed)
            .end();
        });
      }
    });
    service.child.kill('SIGUSR2');
    await service.logged('all processes are replaced');
    isLoading = false;
    await Promise.all(load);
    agent.destroy();
    expect([failures, answered > 100]).toEqual([[], true]);
    const processes = await processesOf(port);
    expect([processes.size, [...processes.keys()].filter((pid) => old.has(pid))]).toEqual([2, []]);
    for (const { heard } of processes.values()) expect(heard).toEqual(['two', 'three']);
  });

  test('a process with an uncaught exception ends and is replaced', async () => {
    const [ended, replaced] = [next('a process ended; it is replaced'), next('a process serves')];
    await get(port, '/throw').catch(() => {});
    expect(await ended).toMatchObject({ signal: 'SIGKILL' });
    await replaced;
  });

  test('SIGTERM ends all processes with exit code 0', async () => {
    const pids = [...(await processesOf(port)).keys()];
    service.child.kill('SIGTERM');
    // The message of the uncaught exception is among the output.
    expect(await service.exit).toMatchObject({ code: 0, text: expect.stringContaining('a fault') });
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});

test('kill -9 of the primary process ends the others, and the next service takes the port immediately', async () => {
  const service = start();
  const { port } = await service.logged('storage-api listens');
  await service.logged('a process serves', 2);
  const pids = [...(await processesOf(port)).keys()];
  const ended = once(service.child, 'exit');
  service.child.kill('SIGKILL');
  await ended;
  const next = start({ STORAGE_API_PORT: String(port) });
  await next.logged('a process serves', 2);
  await service.exit;
  const isRunning = (pid: number) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  await eventually(async () => !pids.some(isRunning));
  expect(pids).toHaveLength(2);
  expect([...(await processesOf(port)).keys()].filter((pid) => pids.includes(pid))).toEqual([]);
});

test('SIGTERM while the second process starts ends the service with exit code 0', async () => {
  const service = start();
  await service.logged('storage-api listens');
  service.child.kill('SIGTERM');
  expect(await service.exit).toMatchObject({ code: 0 });
});

test.each(['1', '2'])('SIGTERM ends %s processes after the reader of their output', async (count) => {
  const { child, logged } = start({ CAIRN_PROCESSES: count });
  await logged('storage-api listens');
  child.stdout?.destroy();
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
});

test('a taken port and wrong settings end a service of several processes with its message', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const taken = String(typeof address === 'object' ? address?.port : 0);
  const refused = await start({ STORAGE_API_PORT: taken }).exit;
  other.close();
  const fatal = refused.lines.find(({ level }) => level === 60);
  expect([refused.code, fatal?.msg]).toEqual([
    1,
    `storage-api cannot listen on 127.0.0.1:${taken}: the port is taken. Set STORAGE_API_PORT to another one.`,
  ]);
  const wrong = await start({ CAIRN_PROCESSES: '0' }).exit;
  expect([wrong.code, wrong.text]).toEqual([
    1,
    expect.stringContaining('CAIRN_PROCESSES: expected a number of processes'),
  ]);
});

// Tests of several processes and threads on one environment. The processes run the built package, as applications do.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { runBatch } from '@cairn/platform';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Environment, refreshEnvironments } from './index.ts';

const built = new URL('../dist/index.js', import.meta.url).href;
let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-processes-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const open = () => Environment.open({ directory, format: { name: 'test', version: 1 } });
const preamble = () => `
  const { Environment } = await import(${JSON.stringify(built)});
  const environment = await Environment.open({
    directory: ${JSON.stringify(directory)},
    format: { name: 'test', version: 1 },
  });
  const database = environment.database('things');
  const say = (text) => process.stdout.write(text + '\\n');`;

function run(script: string, onLine: (line: string, child: ChildProcess) => void, wrap: string[] = []): Promise<void> {
  const command = [...wrap, process.execPath, '--input-type=module', '-e', preamble() + script];
  const child = spawn(command[0] as string, command.slice(1), { stdio: ['ignore', 'pipe', 'pipe'] });
  let rest = '';
  let errors = '';
  let failure: { readonly error: unknown } | undefined;
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    try {
      for (const line of lines) onLine(line, child);
    } catch (error) {
      failure ??= { error };
      child.kill('SIGKILL');
    }
  });
  return new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (failure) reject(failure.error);
      else if (code === 0 || signal === 'SIGKILL') resolve();
      else reject(new Error(`The process ended with ${code ?? signal}: ${errors}`));
    });
  });
}

function isFilled(value: Uint8Array | undefined, length: number, fill: number): boolean {
  return Buffer.alloc(length, fill).equals(value ?? Buffer.alloc(0));
}

test('resolved transactions survive kill -9, and every transaction is complete or absent', async () => {
  const acknowledged = new Set<number>();
  for (let round = 0; round < 5; round++) {
    const goal = acknowledged.size + 150;
    await run(
      `let n = ${round * 1_000_000};
       const writer = async () => {
         while (true) {
           const mine = n++;
           await environment.transaction(() => {
             database.put(Buffer.from('a' + mine), Buffer.alloc(500, mine));
             database.put(Buffer.from('b' + mine), Buffer.alloc(5_000, mine));
           });
           say(String(mine));
         }
       };
       for (let writers = 0; writers < 8; writers++) writer();`,
      (line, child) => {
        acknowledged.add(Number(line));
        if (acknowledged.size > goal) child.kill('SIGKILL');
      },
    );
  }
  const environment = await open();
  const database = environment.database('things');
  const lost = [...acknowledged].filter(
    (n) => !database.has(Buffer.from(`a${n}`)) || !database.has(Buffer.from(`b${n}`)),
  );
  expect(lost).toEqual([]);
  const numbers = (letter: string) =>
    [...database.keys({ prefix: Buffer.from(letter) })].map((key) => Buffer.from(key).toString().slice(1));
  expect(numbers('a')).toEqual(numbers('b'));
  expect(acknowledged.size).toBeGreaterThan(750);
  await environment.close();
});

test('processes increment a shared counter without a lost update, while a reader sees the file grow', async () => {
  const environment = await open();
  const database = environment.database('things');
  const read = () => Number(Buffer.from(database.get(Buffer.from('n')) ?? '0').toString());
  const script = `
    for (let round = 0; round < 100; round++) {
      const n = await environment.transaction(() => {
        const next = Number(Buffer.from(database.get(Buffer.from('n')) ?? '0').toString()) + 1;
        database.put(Buffer.from('n'), Buffer.from(String(next)));
        database.put(Buffer.from('v' + next), Buffer.alloc(100_000, next));
        return next;
      });
      say(String(n));
    }
    await environment.close();`;
  let checked = 0;
  const check = (line: string) => {
    // Each batch of requests refreshes once.
    if (Number(line) % 2 === 0) runBatch(() => checkNow(line));
    else checkNow(line);
  };
  const checkNow = (line: string) => {
    environment.refresh();
    // The other process printed the line after the commit, so this process must see the value, beyond the former end of the file.
    expect(isFilled(database.get(Buffer.from(`v${line}`)), 100_000, Number(line))).toBe(true);
    expect(read()).toBeGreaterThanOrEqual(Number(line));
    checked++;
  };
  await Promise.all([run(script, check), run(script, check)]);
  environment.refresh();
  expect([read(), checked]).toEqual([200, 200]);
  await environment.close();
});

test('a refresh of all environments shows a commit of another process in the turn that has read before', async () => {
  const environment = await open();
  const database = environment.database('things');
  const key = Buffer.from('n');
  const script = `
    await environment.transaction(() => database.put(Buffer.from('n'), Buffer.from('written')));
    await environment.close();`;
  // The turn reads, and does not end while the other process writes.
  const before = database.get(key);
  const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', preamble() + script]);
  const inTheTurn = database.get(key);
  refreshEnvironments();
  const refreshed = database.get(key);
  expect([before, status, inTheTurn]).toEqual([undefined, 0, undefined]);
  expect(Buffer.from(refreshed ?? '').toString()).toBe('written');
  await environment.close();
});

test('worker threads that opened read-only first read the writes of the main thread', async () => {
  await (await open()).close();
  const script = `
    const { parentPort } = await import('node:worker_threads');
    const { Environment } = await import(${JSON.stringify(built)});
    const environment = await Environment.open({
      directory: ${JSON.stringify(directory)},
      format: { name: 'test', version: 1 },
      readOnly: true,
    });
    parentPort.postMessage('open');
    parentPort.on('message', async (name) => {
      if (name === 'close') {
        await environment.close();
        return parentPort.close();
      }
      environment.refresh();
      parentPort.postMessage(environment.database('things').get(Buffer.from(name)));
    });`;
  const source = new URL(`data:text/javascript,${encodeURIComponent(script)}`);
  const workers = [new Worker(source), new Worker(source)];
  const answer = (worker: Worker) =>
    new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
  await Promise.all(workers.map(answer));
  const environment = await open();
  const database = environment.database('things');
  for (const name of ['a', 'b', 'c']) {
    await environment.transaction(() => database.put(Buffer.from(name), Buffer.from(`value of ${name}`)));
    const answers = workers.map(answer);
    for (const worker of workers) worker.postMessage(name);
    for (const value of await Promise.all(answers))
      expect(Buffer.from(value as Uint8Array).toString()).toBe(`value of ${name}`);
  }
  const ends = workers.map((worker) => new Promise((resolve) => worker.once('exit', resolve)));
  for (const worker of workers) worker.postMessage('close');
  expect(await Promise.all(ends)).toEqual([0, 0]);
  // The environment of this thread still works.
  await environment.transaction(() => database.put(Buffer.from('d'), Buffer.from('1')));
  await environment.close();
});

test('a full disk fails the write with a typed error and harms neither the process nor stored data', async () => {
  const lines: string[] = [];
  // The shell limits files to 4 MiB (8,192 blocks of 512 bytes) and ignores the signal that would end the process.
  const limit = ['sh', '-c', 'trap "" XFSZ; ulimit -f 8192; exec "$@"', 'sh'];
  await run(
    `let stored = 0;
     while (stored < 1_000) {
       const error = await environment
         .batch(() => database.put(Buffer.from('k' + stored), Buffer.alloc(200_000, stored)))
         .then(() => undefined, (reason) => reason);
       if (error) { say(error.code); break; }
       stored++;
     }
     await environment.transaction(() => database.remove(Buffer.from('k0')));
     await environment.transaction(() => database.put(Buffer.from('small'), Buffer.from('1')));
     say(String(stored));
     await environment.close();`,
    (line) => lines.push(line),
    limit,
  );
  const [code, stored] = lines;
  expect(['STORE_FULL', 'STORE_WRITE_FAILED']).toContain(code);
  const environment = await open();
  const database = environment.database('things');
  expect(Number(stored)).toBeGreaterThan(3);
  for (let n = 1; n < Number(stored); n++) {
    expect(isFilled(database.get(Buffer.from(`k${n}`)), 200_000, n)).toBe(true);
  }
  expect([...database.keys()]).toHaveLength(Number(stored));
  await environment.close();
});

const inContainer = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--mount-proc', '--kill-child'];
const canUnshare = spawnSync(inContainer[0] as string, [...inContainer.slice(1), 'true']).status === 0;
const testInContainers = canUnshare ? test : test.skip;

testInContainers('open refuses a store that a process with the same number has open in another container', async () => {
  let message: unknown;
  // Both are process 1 of their namespace, which would deadlock the second one in LMDB.
  await run(
    "say('open'); setInterval(() => {}, 1000);",
    (_, child) => {
      const second = run("say('open too');", () => {}, inContainer);
      second
        .then(
          () => 'no error',
          (error: Error) => error.message,
        )
        .then((text) => {
          message = text;
          child.kill('SIGKILL');
        });
    },
    inContainer,
  ).catch(() => {});
  expect(message).toMatch(/is open in another container by a process with the same number, 1\./);

  const lines: string[] = [];
  await run(
    "await environment.transaction(() => database.put(Buffer.from('a'), Buffer.from('b'))); await environment.close(); say('done');",
    (line) => lines.push(line),
    inContainer,
  );
  expect(lines).toEqual(['done']);
});

test('processes that open several stores crosswise while they write do not wait for each other forever', async () => {
  const names = ['a', 'b', 'c', 'd'];
  const script = (list: readonly string[]) => `
    const { Environment } = await import(${JSON.stringify(built)});
    await Promise.all(${JSON.stringify(list)}.map(async (name) => {
      const store = await Environment.open({
        directory: ${JSON.stringify(directory)} + '/' + name,
        format: { name: 'test', version: 1 },
      });
      const databases = [0, 1, 2, 3].map((n) => store.database('database ' + n));
      for (const database of databases)
        await store.transaction(() => database.put(Buffer.from('key ' + process.pid), Buffer.from('value')));
      await store.close();
    }));`;
  const processes = [names, [...names].reverse(), names].map((list) =>
    spawn(process.execPath, ['--input-type=module', '-e', script(list)], { stdio: 'inherit' }),
  );
  try {
    const codes = processes.map((child) => new Promise((resolve) => child.once('exit', resolve)));
    expect(await Promise.all(codes)).toEqual([0, 0, 0]);
  } finally {
    for (const child of processes) child.kill('SIGKILL');
  }
});

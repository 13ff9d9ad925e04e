import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';

// The built service runs in its own process, since the tests check signals and exit codes.
const kit = new URL('../../dist/index.js', import.meta.url).href;
const nest = new URL('../../dist/nest/index.js', import.meta.url).href;
const script = `
  import 'reflect-metadata';
  import { Controller, Get, Module } from '@nestjs/common';
  import { ExpressAdapter } from '@nestjs/platform-express';
  import { RAW_HTTP, adminPort, sharedSettings } from ${JSON.stringify(kit)};
  import { runService, ServiceKitModule } from ${JSON.stringify(nest)};
  class AppModule {
    onApplicationShutdown() { console.log(JSON.stringify({ msg: 'store closed' })); }
  }
  Module({})(AppModule);
  class FromNest { hello() { return 'from nest'; } }
  Controller()(FromNest);
  Get('hello')(FromNest.prototype, 'hello', Object.getOwnPropertyDescriptor(FromNest.prototype, 'hello'));
  const raw = {
    handleRequest(request, response) {
      if (request.url !== '/slow') return false;
      request.on('end', () => response.end('finished')).resume();
      response.write('begun ');
      return true;
    },
  };
  const isExpress = process.env.TEST_ADAPTER !== 'raw';
  await runService({
    name: 'storage-api',
    settings: {
      STORAGE_API_PORT: sharedSettings.STORAGE_API_PORT,
      STORAGE_API_ADMIN_PORT: adminPort('storage API'),
    },
    portSetting: 'STORAGE_API_PORT',
    adminPortSetting: 'STORAGE_API_ADMIN_PORT',
    async check({ STORAGE_API_PORT: port }) {
      if (port === 1) throw new Error('STORAGE_API_PORT: 1 is reserved');
    },
    load: async () => ({
      ...(isExpress && { adapter: () => new ExpressAdapter() }),
      module: (context) => ({
        module: AppModule,
        imports: [ServiceKitModule.forRoot(context)],
        controllers: isExpress ? [FromNest] : [],
        providers: [{ provide: RAW_HTTP, useValue: raw }],
      }),
    }),
  });`;

let directory: string;
let started: Service[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cairn-service-'));
});
afterEach(() => {
  for (const { child } of started) child.kill('SIGKILL');
  started = [];
  rmSync(directory, { recursive: true });
});

interface Service {
  readonly child: ChildProcess;
  /** Resolves with the first log line of this message. Fails when the process ends before it. */
  logged(message: string): Promise<Record<string, unknown>>;
  readonly exit: Promise<{ readonly code: number | null; readonly signal: string | null; readonly output: string }>;
}

function start(env: Readonly<Record<string, string>> = {}, argv: readonly string[] = []): Service {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, '--', 'service', ...argv], {
    // Directory for resolving the imports of the script. Settings and stores are in a directory of the test.
    cwd: new URL('../..', import.meta.url),
    env: { PATH: process.env.PATH, CAIRN_HOME: directory, STORAGE_API_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      child.emit('output');
    });
  }
  const exit = once(child, 'close').then(([code, signal]) => ({ code, signal, output }));
  const find = (message: string): Record<string, unknown> | undefined =>
    output
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line))
      .find(({ msg }) => msg === message);
  const logged = async (message: string) => {
    let isOver = false;
    void exit.then(() => {
      isOver = true;
      child.emit('output');
    });
    for (;;) {
      const line = find(message);
      if (line) return line;
      if (isOver) throw new Error(`The service ended without saying ${message}: ${output}`);
      await once(child, 'output');
    }
  };
  const service = { child, logged, exit };
  started.push(service);
  return service;
}

/** A request under way: its head is sent, its body is not complete. */
async function beginUpload(port: number) {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  let answer = '';
  socket.on('data', (text: string) => {
    answer += text;
  });
  socket.on('error', () => undefined);
  socket.write('POST /slow HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\nab');
  while (!answer.includes('begun')) await once(socket, 'data');
  const closed = once(socket, 'close').then(() => answer);
  return { socket, closed };
}

test('health comes first, then the raw handler, then Nest', async () => {
  const service = start();
  const { port } = await service.logged('storage-api listens');
  const text = async (path: string, init?: RequestInit) =>
    await (await fetch(`http://127.0.0.1:${port}${path}`, init)).text();
  expect(await text('/readyz')).toBe('{"status":"ok","dependencies":{}}');
  expect(await text('/slow', { method: 'POST', body: 'abcd' })).toBe('begun finished');
  expect(await text('/hello')).toBe('from nest');
});

test('a service without an adapter serves its raw handlers and gives 404 for other paths', async () => {
  const { port } = await start({ TEST_ADAPTER: 'raw' }).logged('storage-api listens');
  const slow = await fetch(`http://127.0.0.1:${port}/slow`, { method: 'POST', body: 'abcd' });
  expect(await slow.text()).toBe('begun finished');
  const other = await fetch(`http://127.0.0.1:${port}/hello`);
  expect(other.status).toBe(404);
  expect(await other.json()).toEqual({ message: 'Cannot GET /hello', error: 'Not Found', statusCode: 404 });
});

test('a signal lets the request under way finish, closes the stores and ends with 0', async () => {
  const service = start();
  const { port } = await service.logged('storage-api listens');
  const { socket, closed } = await beginUpload(Number(port));
  service.child.kill('SIGTERM');
  await service.logged('draining');
  // The listener closes just after the log is written.
  const isServed = () =>
    fetch(`http://127.0.0.1:${port}/livez`).then(
      () => true,
      () => false,
    );
  while (await isServed()) await new Promise((resolve) => setTimeout(resolve, 5));
  await expect(fetch(`http://127.0.0.1:${port}/livez`)).rejects.toThrow('fetch failed');
  socket.write('cd');
  expect(await closed).toContain('finished');
  const { code, output } = await service.exit;
  expect(code).toBe(0);
  expect(output).toContain('store closed');
  expect(output).not.toContain('are cut');
});

test('the admin port counts requests in flight', async () => {
  const service = start({ STORAGE_API_ADMIN_PORT: '0' });
  const { port } = await service.logged('storage-api listens');
  const { adminPort } = await service.logged('the admin port serves metrics and health');
  const count = async () => {
    const text = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
    return /^cairn_requests_in_flight\{service="storage-api"\} (\d+)$/m.exec(text)?.[1];
  };
  const { socket, closed } = await beginUpload(Number(port));
  expect(await count()).toBe('1');
  socket.destroy();
  await closed;
});

test.each(['SIGINT', 'SIGTERM'] as const)('a second %s ends immediately by that signal', async (signal) => {
  const service = start();
  const { port } = await service.logged('storage-api listens');
  const { closed } = await beginUpload(Number(port));
  service.child.kill(signal);
  await service.logged('draining');
  service.child.kill(signal);
  expect(await service.exit).toMatchObject({ code: null, signal });
  expect(await closed).not.toContain('finished');
});

test('a taken port is reported with the setting to change and without a stack', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const port = String((other.address() as AddressInfo).port);
  const { code, output } = await start({ STORAGE_API_PORT: port }).exit;
  other.close();
  expect(code).toBe(1);
  expect(output).toContain(`cannot listen on 127.0.0.1:${port}: the port is taken. Set STORAGE_API_PORT`);
  expect(output).not.toMatch(/^ {4}at /m);
});

test.each([
  [{}, 0, 'The settings are good.'],
  [{ LOG_LEVEL: 'loud' }, 1, 'LOG_LEVEL: expected one of'],
  [{ STORAGE_API_PORT: '1' }, 1, 'STORAGE_API_PORT: 1 is reserved'],
])('--check-config with %j ends with %i and starts nothing', async (env, expected, message) => {
  const { code, output } = await start(env as Record<string, string>, ['--check-config']).exit;
  expect({ code, isListening: output.includes('listens') }).toEqual({ code: expected, isListening: false });
  expect(output).toContain(message);
});

test('a setting that the check of the service refuses ends the start', async () => {
  const { code, output } = await start({ STORAGE_API_PORT: '1' }).exit;
  expect(code).toBe(1);
  expect(output).toContain('STORAGE_API_PORT: 1 is reserved');
});

test('an unknown argument is refused by name', async () => {
  const { code, output } = await start({}, ['--port']).exit;
  expect(code).toBe(1);
  expect(output).toContain('storage-api does not know "--port"');
});

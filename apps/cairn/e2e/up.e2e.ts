import { type ChildProcess, execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { freePort, isFree } from '../../../tools/peers/free-port.mjs';
import { Cairn, type Outcome, outcomeOf } from './cairn.ts';

const sh = promisify(execFile);
let cairn: Cairn;
let env: Record<string, string>;
let ports: readonly [number, number, number, number];
let running: ChildProcess | undefined;
beforeEach(async () => {
  cairn = new Cairn();
  ports = [await freePort(), await freePort(), await freePort(), await freePort()];
  env = {
    STORAGE_API_PORT: String(ports[0]),
    RPC_GATEWAY_PORT: String(ports[1]),
    CONSOLE_PORT: String(ports[2]),
    IPFS_GATEWAY_PORT: String(ports[3]),
    CAIRN_IPFS_PEER: 'off',
  };
});
afterEach(async () => {
  running?.kill('SIGKILL');
  await portsFree();
  cairn.remove();
});

/** Starts `up` and resolves with its output when it is ready. */
async function up(
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly printed: string; readonly ended: ReturnType<typeof outcomeOf>; readonly child: ChildProcess }> {
  const child = cairn.spawn(['up'], { ...env, ...more });
  running = child;
  const ended = outcomeOf(child);
  let printed = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (text: string) => {
      printed += text;
      if (printed.includes('Ctrl-C stops')) resolve();
    });
    void ended.then(({ stderr }) => reject(new Error(`up ended: ${stderr}`)));
  });
  return { printed, ended, child };
}

async function portsFree(): Promise<void> {
  for (const port of ports) while (!(await isFree(port))) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Exit code, and log lines of services at warning level or above. */
function outcomeWithLog({ code, stdout, stderr }: Outcome) {
  const logged = stdout.split('\n').filter((line) => line.startsWith('{"level":'));
  return { code, logged: [...logged, ...(stderr === '' ? [] : [stderr])] };
}

const linesToPaste = (printed: string) => printed.split('\n').filter((line) => /^ {2}(echo|curl)/.test(line));

test.each([
  ['any port', async () => 0],
  ['a known port', freePort],
])('up starts an IPFS peer on %s and names it to the services', async (_, apiPort) => {
  const { child, ended } = await up({
    CAIRN_IPFS_PEER: 'on',
    IPFS_PEER_API_PORT: String(await apiPort()),
    IPFS_PEER_LISTEN: '/ip4/127.0.0.1/tcp/0',
    IPFS_PEER_BOOTSTRAP: 'none',
  });
  const peer = (await sh('pgrep', ['-P', String(child.pid), '-f', 'ipfs-peer'])).stdout.trim();
  expect(peer).toMatch(/^\d+$/);
  const storage = (await sh('pgrep', ['-P', String(child.pid), '-f', 'storage-api'])).stdout.trim();
  const environment = (await sh('cat', [`/proc/${storage}/environ`])).stdout.split('\0');
  const peerUrl = environment.find((entry) => entry.startsWith('IPFS_PEER_URL=')) ?? '';
  expect(peerUrl).toMatch(/=http:\/\/127\.0\.0\.1:\d+$/);
  const status = cairn.spawn(['status'], { ...env, IPFS_PEER_URL: peerUrl.replace('IPFS_PEER_URL=', '') });
  const { stdout } = await outcomeOf(status);
  for (const name of ['storage-api', 'rpc-gateway', 'ipfs-gateway', 'ipfs-peer', 'console'])
    expect(stdout).toMatch(new RegExp(`^${name} +http://127\\.0\\.0\\.1:\\d+ +ready$`, 'm'));
  child.kill('SIGINT');
  expect(outcomeWithLog(await ended)).toEqual({ code: 0, logged: [] });
});

test('printed lines work as they are, Ctrl-C ends everything with 0, and a second start keeps all data and prints no secret', async () => {
  const first = await up();
  const outputs: string[] = [];
  for (const line of linesToPaste(first.printed)) outputs.push((await sh('sh', ['-c', line])).stdout);
  const [added, content, page, block, call] = outputs;
  expect(JSON.parse(added ?? '')).toMatchObject({ Name: 'hello.txt', Size: '20' });
  expect([content, page]).toEqual(['hello cairn\n', 'hello cairn\n']);
  expect(JSON.parse(block ?? '').result.number).toBe('0x18');
  expect(BigInt(JSON.parse(call ?? '').result)).toBeGreaterThan(0n);
  const secret = /Secret +(cs_\w+)/.exec(first.printed)?.[1] ?? 'none';
  expect(secret).not.toBe('none');
  first.child.kill('SIGINT');
  expect(outcomeWithLog(await first.ended)).toEqual({ code: 0, logged: [] });
  await portsFree();

  const second = await up();
  expect(second.printed).not.toContain(secret);
  expect(second.printed).not.toContain('imported and verified');
  const [, cat] = linesToPaste(second.printed);
  expect((await sh('sh', ['-c', cat?.replace('<SECRET>', secret) ?? 'false'])).stdout).toBe('hello cairn\n');
  second.child.kill('SIGTERM');
  expect(outcomeWithLog(await second.ended)).toEqual({ code: 0, logged: [] });
});

test('fixed credentials apply, also after a change, and kill -9 leaves no service behind', async () => {
  const first = await up({ CAIRN_DEMO_KEY: 'demo', CAIRN_DEMO_SECRET: 'one' });
  first.child.kill('SIGKILL');
  await first.ended;
  await portsFree();
  const second = await up({ CAIRN_DEMO_KEY: 'demo', CAIRN_DEMO_SECRET: 'two' });
  const status = async (secret: string) => {
    const authorization = `Basic ${Buffer.from(`demo:${secret}`).toString('base64')}`;
    return (await fetch(`http://127.0.0.1:${ports[0]}/api/v0/version`, { method: 'POST', headers: { authorization } }))
      .status;
  };
  expect([await status('one'), await status('two')]).toEqual([401, 200]);
  second.child.kill('SIGINT');
  expect(outcomeWithLog(await second.ended)).toEqual({ code: 0, logged: [] });
});

test('up restarts a service that is killed, on its port, while the others serve', async () => {
  const { child, ended } = await up({ STORAGE_API_PORT: '0' });
  const children = await sh('pgrep', ['-P', String(child.pid), '-f', 'rpc-gateway']);
  const before = children.stdout.trim();
  process.kill(Number(before), 'SIGKILL');
  let after = before;
  while (after === before || after === '') {
    await new Promise((resolve) => setTimeout(resolve, 100));
    after = (
      await sh('pgrep', ['-P', String(child.pid), '-f', 'rpc-gateway']).catch(() => ({ stdout: '' }))
    ).stdout.trim();
    expect((await fetch(`http://127.0.0.1:${ports[2]}/livez`)).status).toBe(200);
  }
  const ready = () =>
    fetch(`http://127.0.0.1:${ports[1]}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await ready())) await new Promise((resolve) => setTimeout(resolve, 100));
  child.kill('SIGINT');
  const { code, stdout, stderr } = await ended;
  expect(stderr).toContain('rpc-gateway ended (SIGKILL); it starts again in 1 s.');
  expect(stdout.trimEnd().endsWith('Stopped.')).toBe(true);
  expect(code).toBe(0);
});

test('up detects a foreign server on its port, and a failed start loses no secret', async () => {
  const other = createHttpServer((_request, response) => response.end('{}'));
  await new Promise<void>((resolve) => other.listen(ports[0], '127.0.0.1', resolve));
  const failed = await outcomeOf(cairn.spawn(['up'], env));
  await new Promise((resolve) => other.close(resolve));
  expect(failed.code).toBe(1);
  expect(failed.stdout).not.toContain('Paste to try');
  expect(failed.stdout + failed.stderr).toContain('Set STORAGE_API_PORT to another one');
  const { printed, child, ended } = await up();
  expect(printed).toMatch(/Secret +cs_\w+/);
  expect(printed).toMatch(/Password +\S+ +\(shown this once\)/);
  child.kill('SIGINT');
  await ended;
});

test('up names the network whose head it waits for, and status names networks with upstreams', async () => {
  const file = join(cairn.home, 'networks.json');
  const upstreams = [`http://127.0.0.1:${await freePort()}`];
  const network = { name: 'silent', genesis: 'mainnet', upstreams, head: { trusted: true } };
  writeFileSync(file, JSON.stringify({ networks: [network] }));
  const child = cairn.spawn(['up'], { ...env, CAIRN_NETWORKS: file });
  running = child;
  const ended = outcomeOf(child);
  const line = 'rpc-gateway waits: no verified head yet: silent';
  await new Promise<void>((resolve, reject) => {
    let printed = '';
    child.stdout?.on('data', (text: string) => {
      printed += text;
      if (printed.includes(line)) resolve();
    });
    void ended.then(({ stderr }) => reject(new Error(`up ended: ${stderr}`)));
  });
  child.kill('SIGINT');
  const { code, stdout } = await ended;
  expect(code).toBe(0);
  expect(stdout.split(line)).toHaveLength(2);
  await cairn.run('account', 'create', 'acme');
  const status = await outcomeOf(cairn.spawn(['status'], { CAIRN_NETWORKS: file }));
  expect(status.stdout).toMatch(/^silent +1 +from upstreams$/m);
});

test('up prints the ports that services got where the settings say 0', async () => {
  const { printed, child, ended } = await up({ STORAGE_API_PORT: '0', RPC_GATEWAY_PORT: '0' });
  const [, storage] = /Storage API +(http:\S+)\/api\/v0/.exec(printed) ?? [];
  expect((await fetch(`${storage}/readyz`)).status).toBe(200);
  expect(printed).not.toContain(':0/');
  child.kill('SIGINT');
  await ended;
});

test('up ends with a clear message when a port is taken, and no process stays behind', async () => {
  const squatter = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => squatter.listen(ports[1], '127.0.0.1', resolve));
  const { code, stdout, stderr } = await outcomeOf(cairn.spawn(['up'], env));
  await new Promise((resolve) => squatter.close(resolve));
  expect(code).toBe(1);
  expect(stdout + stderr).toContain('Set RPC_GATEWAY_PORT to another one');
  expect(await isFree(ports[0])).toBe(true);
});

test('a port of the IPFS peer that a Kubo holds ends up with the address, the setting and the way without a peer', async () => {
  const kubo = createServer((socket) => socket.destroy());
  const port = await freePort();
  await new Promise<void>((resolve) => kubo.listen(port, '127.0.0.1', resolve));
  const taken = `/ip4/127.0.0.1/tcp/${port}`;
  const more = {
    CAIRN_IPFS_PEER: 'on',
    IPFS_PEER_API_PORT: String(await freePort()),
    IPFS_PEER_LISTEN: `${taken},/ip4/127.0.0.1/tcp/0/ws`,
    IPFS_PEER_BOOTSTRAP: 'none',
  };
  const { code, stdout, stderr } = await outcomeOf(cairn.spawn(['up'], { ...env, ...more }));
  expect(code).toBe(1);
  expect(stdout).toContain(`The node cannot listen on ${taken}: the port is taken.`);
  expect(stdout).toContain('set IPFS_PEER_LISTEN');
  expect(stderr).toContain('With CAIRN_IPFS_PEER=off the other services start without it.');
  expect(stdout).not.toContain('Paste to try');
  // With a known port, the others start beside the peer.
  expect(stdout).toContain('Starting storage-api');

  const { child, ended } = await up({ ...more, CAIRN_IPFS_PEER: 'off' });
  child.kill('SIGINT');
  expect((await ended).code).toBe(0);
  await new Promise((resolve) => kubo.close(resolve));
});

test.each([
  [{}, 0, 'The settings are good.'],
  [{ STORAGE_API_PORT: 'x' }, 3, 'STORAGE_API_PORT: expected a port'],
  [{ CAIRN_HOEM: 'x' }, 3, 'Did you mean CAIRN_HOME?'],
])('--check-config with %j ends with %i', async (more, code, message) => {
  const outcome = await outcomeOf(cairn.spawn(['up', '--check-config'], more as Record<string, string>));
  expect(outcome.code).toBe(code);
  expect(outcome.stdout + outcome.stderr).toContain(message);
});

// Runs every command of every guide as a reader would. Only loopback addresses, ports and system directories are
// replaced.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { engineProgram, howToEnableEngine, startPostgres, startRedis, startS3 } from '../engines/index.mjs';
import { pnpm, root } from '../lib/toolchain.mjs';
import { howToEnable } from '../peers/binaries.mjs';
import { freePort, isFree } from '../peers/free-port.mjs';
import { startKubo } from '../peers/kubo.mjs';
import { startRegistry } from '../release/registry.mjs';
import { fencesOf, patternOf, Shell } from './guide.mjs';
import { placeShims } from './shims.mjs';

const execute = promisify(execFile);
const work = mkdtempSync(join(tmpdir(), 'cairn-guides-'));
const guides = join(import.meta.dirname, 'guides');
/** Ports of the guides, each with its replacement. */
const ports = {};
const background = [];
let registry;
let env;

before(async () => {
  for (const port of [5001, 8545, 8080, 8081, 6001, 9545, 9080, 18545]) ports[port] = await freePort();
  mkdirSync(join(work, 'registry'));
  registry = await startRegistry(join(work, 'registry'));
  const npm = { npm_config_userconfig: registry.npmrc, npm_config_registry: registry.url };
  const args = ['publish', '-r', '--filter', './libs/*', '--no-git-checks', '--registry', registry.url];
  const lines = [];
  assert.equal(
    await pnpm(args, { env: npm, onOutput: (chunk) => lines.push(chunk) }),
    0,
    Buffer.concat(lines).toString(),
  );
  for (const directory of ['tmp', 'home', 'etc/systemd/system', 'etc/prometheus', 'var/lib', 'var/backups', 'opt'])
    mkdirSync(join(work, directory), { recursive: true });
  env = {
    HOME: process.env.HOME,
    PATH: `${placeShims(join(work, 'shims'), { prefix: work, ports })}:${process.env.PATH}`,
    CAIRN_HOME: join(work, 'home'),
    REPOSITORY: root,
    TMPDIR: join(work, 'tmp'),
    CI_IS_BUILT: process.env.CI_IS_BUILT ?? '',
    PNPM_PATH: process.env.PNPM_PATH ?? '',
    ...npm,
    STORAGE_API_PORT: String(ports[5001]),
    RPC_GATEWAY_PORT: String(ports[8545]),
    CONSOLE_PORT: String(ports[8080]),
    IPFS_GATEWAY_PORT: String(ports[8081]),
    CAIRN_IPFS_PEER: 'off',
  };
});
/** Ends the background processes and waits until their ports are free, so that the next guide reaches only its own services. */
async function endBackground() {
  for (const child of background.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = once(child, 'exit');
    process.kill(-child.pid, 'SIGTERM');
    await ended;
  }
  for (const port of Object.values(ports))
    for (const end = Date.now() + 60_000; !(await isFree(port)); ) {
      assert.ok(Date.now() < end, `a service still listens on port ${port}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
}

after(async () => {
  await endBackground();
  await registry?.close();
  rmSync(work, { recursive: true, force: true });
});

/** Replaces ports and system directories by those of the test. */
function here(text) {
  return text
    .replace(
      /(127\.0\.0\.1:|listen\(|[A-Z]_PORT=)(5001|8545|8080|8081|6001|9545|9080|18545|2500[12]|2854[56]|25432)\b/g,
      (_, before, port) => before + ports[port],
    )
    .replace(
      /(?<=^|[\s="'<>(])\/(tmp|opt\/cairn|etc\/(?:cairn|systemd\/system|prometheus)|var\/(?:lib|backups)\/cairn)/gm,
      `${work}/$1`,
    );
}

function startBeside(command, more) {
  const child = spawn('bash', ['-c', `exec env ${command}`], {
    cwd: root,
    env: { ...env, ...more },
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    child.output = (child.output + text).slice(-8192);
  });
  background.push(child);
}

/** Runs a block. An error also has the output of the background processes. */
async function runBlock(shell, block) {
  try {
    return await shell.run(block, { timeoutMs: 180_000 });
  } catch (error) {
    const outputs = background.map(({ pid, exitCode, output }) => `process ${pid}, exit code ${exitCode}:\n${output}`);
    throw new Error([error.message, ...outputs].join('\n'), { cause: error });
  }
}

/**
 * @param given input that a reader fills in, in the order of the guide
 * @param more settings of background processes
 */
async function follow(name, shell, given = [], more = {}) {
  const files = join(work, 'files', name);
  mkdirSync(files, { recursive: true });
  await shell.run(`cd "$REPOSITORY"; export GUIDE='${files}'`, { timeoutMs: 60_000 });
  let printed = '';
  for (const { kind, file, body } of fencesOf(join(guides, `${name}.md`))) {
    if (kind === 'file') writeFileSync(join(files, file), here(body));
    else if (kind === 'sh background') startBeside(here(body.trim()), more);
    else if (kind === 'text') assert.match(printed.trim(), patternOf(body));
    else printed = await runBlock(shell, kind === 'sh given' ? given.shift() : here(body));
  }
  assert.deepEqual(given, [], 'the guide has fewer fences to fill in');
}

/** Starts a gateway with the sample network, as the upstream of another one. Resolves with its networks file and a key for readers. */
async function startUpstream() {
  const main = (name) => join(root, 'apps', name, 'dist', 'main.js');
  const keyIn = async (home, account) => {
    const cairn = (...args) =>
      execute(process.execPath, [main('cairn'), ...args], { env: { ...env, CAIRN_HOME: home } });
    await cairn('account', 'create', account);
    await cairn('card', 'attach', account, '--brand', 'visa', '--last4', '4242');
    return JSON.parse((await cairn('key', 'create', account, '--json')).stdout).id;
  };
  const home = join(work, 'upstream');
  const key = await keyIn(home, 'upstream');
  const port = await freePort();
  const settings = { ...env, CAIRN_HOME: home, RPC_GATEWAY_PORT: String(port) };
  const child = spawn(process.execPath, [main('rpc-gateway')], { env: settings, detached: true, stdio: 'ignore' });
  background.push(child);
  while (!(await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok)
    await new Promise((resolve) => setTimeout(resolve, 100));
  const network = {
    name: 'mainnet',
    hosts: ['*'],
    upstreams: [`http://127.0.0.1:${port}/v3/${key}`],
    chainId: 48484848,
    head: { trusted: true },
    requireFrom: false,
  };
  const file = `cat > ${work}/tmp/networks.json <<'EOF'\n${JSON.stringify({ networks: [network] })}\nEOF`;
  return { file, key: `KEY=${await keyIn(env.CAIRN_HOME, 'reader')}` };
}

/** Starts another server with one pin, as the source of a migration. */
async function startOld() {
  const home = join(work, 'old');
  const main = (name) => join(root, 'apps', name, 'dist', 'main.js');
  const cairn = (...args) => execute(process.execPath, [main('cairn'), ...args], { env: { ...env, CAIRN_HOME: home } });
  await cairn('account', 'create', 'old');
  await cairn('card', 'attach', 'old', '--brand', 'visa', '--last4', '4242');
  const { id, secret } = JSON.parse((await cairn('key', 'create', 'old', '--json')).stdout);
  const port = await freePort();
  const settings = { ...env, CAIRN_HOME: home, STORAGE_API_PORT: String(port) };
  const child = spawn(process.execPath, [main('storage-api')], { env: settings, detached: true, stdio: 'ignore' });
  background.push(child);
  const url = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${url}/readyz`).catch(() => undefined))?.ok)
    await new Promise((resolve) => setTimeout(resolve, 100));
  const body = new FormData();
  body.append('file', new Blob(['hello cairn\n']), 'hello.txt');
  const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  assert.equal((await fetch(`${url}/api/v0/add`, { method: 'POST', body, headers: { authorization } })).status, 200);
  return `OLD=${url}; export CAIRN_MIGRATE_FROM_KEY=${id} CAIRN_MIGRATE_FROM_SECRET=${secret} CAIRN_MIGRATE_KEY=$KEY CAIRN_MIGRATE_SECRET=$SECRET`;
}

/** Guides that describe edits and have no commands. */
const withoutCommands = ['add-an-opcode'];

test('every guide has a test', () => {
  const tried = readFileSync(import.meta.filename, 'utf8');
  for (const name of readdirSync(guides)) assert.ok(tried.includes(`'${name.replace('.md', '')}'`), name);
  for (const name of withoutCommands)
    assert.doesNotMatch(readFileSync(join(guides, `${name}.md`), 'utf8'), /^\s*```(?:sh|bash)/m, name);
});

test('quick start and the guides that continue it', { timeout: 600_000 }, async () => {
  const shell = new Shell({ cwd: root, env });
  try {
    await follow('quick-start', shell);
    await follow('verify-an-answer', shell);
    await follow('migrate-from-infura', shell, [await startOld()]);
    await follow('migrate-from-kubo', shell, ['true']);
  } finally {
    await shell.end();
    await endBackground();
  }
});

test('serve mainnet, with the sample network as the upstream', { timeout: 300_000 }, async () => {
  const shell = new Shell({ cwd: root, env });
  try {
    const { file, key } = await startUpstream();
    await follow('serve-mainnet', shell, ['true', 'true', file, key, 'true']);
  } finally {
    await shell.end();
    await endBackground();
  }
});

test('join the IPFS network, with a Kubo on loopback', { timeout: 300_000 }, async (context) => {
  const address = `/ip4/127.0.0.1/tcp/${await freePort()}`;
  const kubo = await startKubo({
    isOffline: false,
    config(config) {
      config.Addresses.Swarm = [address];
      config.Discovery = { MDNS: { Enabled: false } };
    },
  });
  if (kubo === undefined) return context.skip(howToEnable('kubo'));
  const shell = new Shell({ cwd: root, env });
  const loopback = {
    CAIRN_IPFS_PEER: 'on',
    IPFS_PEER_API_PORT: '0',
    IPFS_PEER_LISTEN: `/ip4/127.0.0.1/tcp/${await freePort()}`,
    IPFS_PEER_BOOTSTRAP: 'none',
    IPFS_PEER_ROUTING: 'none',
    IPFS_PEER_ALLOW_PRIVATE: 'yes',
  };
  const ipfs = `export IPFS_PATH='${kubo.repository}'; ipfs() { '${kubo.binary}' "$@"; }`;
  try {
    await follow('join-ipfs', shell, [ipfs], loopback);
  } finally {
    await shell.end();
    await endBackground();
    await kubo.stop();
  }
});

for (const name of ['write-a-block-store', 'add-a-json-rpc-method', 'repair-a-store']) {
  test(name, { timeout: 300_000 }, async () => {
    const shell = new Shell({ cwd: root, env });
    await follow(name, shell).finally(() => shell.end());
  });
}

/** Starts the engines of a guide, and a standby of the database. Resolves with their settings as input of the guide. */
async function startEngines(stops) {
  const postgres = await startPostgres();
  if (postgres === undefined) return { missing: 'postgres' };
  stops.push(() => postgres.remove());
  const standby = await postgres.startStandby();
  stops.push(() => standby.remove());
  const redis = await startRedis();
  if (redis === undefined) return { missing: 'redis' };
  stops.push(() => redis.stop());
  const s3 = await startS3();
  if (s3 === undefined) return { missing: 's3' };
  stops.push(() => s3.stop());
  const { pathname } = new URL(await postgres.createDatabase());
  const [pid] = readFileSync(join(postgres.home, 'data', 'postmaster.pid'), 'utf8').split('\n');
  const settings = [
    `PRIMARY=127.0.0.1:${postgres.port} STANDBY=127.0.0.1:${standby.port} DATABASE=${pathname.slice(1)} PGUSER=cairn`,
    `export CAIRN_OBJECT_STORE='${s3.createStore()}' CAIRN_REDIS_URL=${redis.url}`,
    `export AWS_ACCESS_KEY_ID=${s3.accessKeyId} AWS_SECRET_ACCESS_KEY=${s3.secretAccessKey}`,
  ];
  return { given: [settings.join('\n'), `kill -QUIT ${pid}`] };
}

test('from one machine to many, with engines on loopback', { timeout: 600_000 }, async (context) => {
  if (engineProgram('haproxy') === undefined) return context.skip(howToEnableEngine('haproxy'));
  const stops = [];
  const { HOME, PATH, REPOSITORY } = env;
  const shell = new Shell({ cwd: root, env: { HOME, PATH: `${PATH}:/usr/sbin`, REPOSITORY } });
  try {
    const { missing, given } = await startEngines(stops);
    if (missing !== undefined) return context.skip(howToEnableEngine(missing));
    // Chosen late: the engines choose ports as well.
    for (const port of [25001, 25002, 28545, 28546, 25432]) ports[port] = await freePort();
    await follow('one-machine-to-many', shell, given);
  } finally {
    await shell.end();
    for (const stop of stops.reverse()) await stop();
  }
});

function killAnyway(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended already.
  }
}

test('run in production', { timeout: 600_000 }, async (context) => {
  if (!existsSync('/usr/bin/promtool'))
    context.diagnostic('promtool is not installed; the check of the configuration is skipped');
  const { HOME, PATH, REPOSITORY, CI_IS_BUILT, PNPM_PATH } = env;
  const bare = { HOME, PATH, REPOSITORY, CI_IS_BUILT, PNPM_PATH };
  const shell = new Shell({ cwd: root, env: bare });
  try {
    await follow('run-in-production', shell);
  } catch (error) {
    const units = join(work, 'etc', 'systemd', 'system');
    for (const name of readdirSync(units)) {
      if (name.endsWith('.log')) context.diagnostic(readFileSync(join(units, name), 'utf8').slice(-2000));
      if (name.endsWith('.pid')) killAnyway(Number(readFileSync(join(units, name), 'utf8')));
    }
    throw error;
  } finally {
    await shell.end();
  }
});

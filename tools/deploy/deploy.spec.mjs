import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { engineProgram, howToEnableEngine, startPostgres, startRedis } from '../engines/index.mjs';

const run = promisify(execFile);
const here = fileURLToPath(new URL('.', import.meta.url));
const place = mkdtempSync(join(tmpdir(), 'cairn-deploy-'));
after(() => rmSync(place, { recursive: true, force: true }));

/** Starts a deployed service from an empty directory, without the workspace, and waits for its first log line. */
async function start(folder, env) {
  const home = mkdtempSync(join(place, 'home-'));
  const child = spawn(process.execPath, [join(folder, 'dist', 'main.js')], {
    cwd: home,
    env: { PATH: process.env.PATH, CAIRN_HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const adminPort = await new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      const [, port] = /"adminPort":(\d+)/.exec(output) ?? [];
      if (port !== undefined) resolve(Number(port));
    });
    child.once('exit', () => reject(new Error(`it ended: ${output}`)));
  });
  return { child, adminPort };
}

/** Checks that the bill of materials names every package in the folder with its version. */
function checkBill(folder) {
  const bill = JSON.parse(readFileSync(join(folder, 'sbom.cdx.json'), 'utf8'));
  assert.equal(bill.bomFormat, 'CycloneDX');
  assert.equal(bill.specVersion, '1.6');
  const named = new Set(bill.components.map(({ purl }) => decodeURIComponent(purl).replace('pkg:npm/', '')));
  const installed = readdirSync(join(folder, 'node_modules', '.pnpm'))
    .filter((name) => /^(@[^@]+\+)?[^@]+@\d/.test(name))
    .map((name) => name.replace('+', '/').replace(/^(.[^@]*@[^_(]+).*$/, '$1'));
  assert.ok(installed.length > 50);
  assert.deepEqual(
    installed.filter((name) => !named.has(name)),
    [],
  );
}

/** Waits until a service is ready. Resolves with its metrics, after SIGTERM and the end with 0. */
async function readyThenEnd({ child, adminPort }) {
  const ended = once(child, 'exit');
  let metrics;
  try {
    let ready = await fetch(`http://127.0.0.1:${adminPort}/readyz`);
    for (let tries = 0; tries < 200 && ready.status !== 200; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      ready = await fetch(`http://127.0.0.1:${adminPort}/readyz`);
    }
    assert.equal(ready.status, 200, await ready.text());
    metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  } finally {
    child.kill('SIGTERM');
  }
  assert.deepEqual(await ended, [0, null]);
  return metrics;
}

/** Starts a deployed gateway on PostgreSQL and Redis, whose clients are loaded then only. */
async function startOnEngines(folder, context) {
  const postgres = await startPostgres();
  if (postgres === undefined) return context.diagnostic(howToEnableEngine('postgres'));
  const redis = await startRedis();
  try {
    if (redis === undefined) return context.diagnostic(howToEnableEngine('redis'));
    const engines = {
      CAIRN_DATABASE_URL: await postgres.createDatabase(),
      CAIRN_REDIS_URL: redis.url,
      CAIRN_SECRETS_KEY: randomBytes(32).toString('base64'),
    };
    const service = await start(folder, { RPC_GATEWAY_PORT: '0', RPC_GATEWAY_ADMIN_PORT: '0', ...engines });
    const metrics = await readyThenEnd(service);
    for (const name of ['postgres', 'redis'])
      assert.match(metrics, new RegExp(`^cairn_engine_up\\{engine="${name}",service="rpc-gateway"\\} 1$`, 'm'));
  } finally {
    await redis?.stop();
    await postgres.remove();
  }
}

const services = ['storage-api', 'rpc-gateway', 'ipfs-gateway', 'ipfs-peer', 'console'];

// The guide to production starts all services; see tools/docs.
test('a deployed folder starts in another place, becomes ready and drains, in both forms', {
  timeout: 180_000,
}, async (context) => {
  const name = 'rpc-gateway';
  const made = join(place, name);
  await run(process.execPath, [join(here, 'deploy.mjs'), name, made, '--no-build'], { maxBuffer: 64 * 1024 * 1024 });
  // A copy on another machine must not refer to this one.
  const folder = join(place, `${name}-elsewhere`);
  cpSync(made, folder, { recursive: true, verbatimSymlinks: true });
  rmSync(made, { recursive: true });
  for (const absent of ['jest', '@jest/globals', 'typescript', 'vite', 'playwright-core', 'fast-check'])
    assert.equal(existsSync(join(folder, 'node_modules', absent)), false, `${absent} is a development dependency`);
  for (const absent of ['src', 'e2e', 'web']) assert.equal(existsSync(join(folder, absent)), false, absent);
  checkBill(folder);
  const metrics = await readyThenEnd(await start(folder, { RPC_GATEWAY_PORT: '0', RPC_GATEWAY_ADMIN_PORT: '0' }));
  assert.match(metrics, /^cairn_requests_in_flight\{service="rpc-gateway"\} 0$/m);
  await startOnEngines(folder, context);
});

test('the compose file runs every service on one volume and one PID namespace', () => {
  const { services: composed } = parse(readFileSync(join(here, 'docker', 'compose.yaml'), 'utf8'), { merge: true });
  for (const name of ['storage-api', 'ipfs-gateway', 'console'])
    assert.equal(composed[name].environment.IPFS_PEER_URL, 'http://ipfs-peer:5011', name);
  // The internal API stays within the network of the deployment.
  assert.deepEqual(composed['ipfs-peer'].ports, ['4001:4001', '4002:4002']);
  for (const name of [...services, 'cairn']) {
    assert.deepEqual(composed[name].volumes, ['data:/data'], name);
    assert.equal(composed[name].pid, 'service:processes', name);
    assert.equal(composed[name].read_only, true, name);
    assert.ok(existsSync(join(here, '..', '..', composed[name].build.dockerfile)), name);
  }
});

test('every deployment starts a service with the V8 options of its package', () => {
  const up = readFileSync(join(here, '..', '..', 'apps', 'cairn', 'src', 'commands', 'up.ts'), 'utf8');
  for (const name of services) {
    const { scripts } = JSON.parse(readFileSync(join(here, '..', '..', 'apps', name, 'package.json'), 'utf8'));
    const options = scripts.start.split(' ').slice(1, -1);
    const image = readFileSync(join(here, 'docker', `${name}.Dockerfile`), 'utf8');
    const [, entry] = /^ENTRYPOINT (.*)$/m.exec(image);
    assert.deepEqual(JSON.parse(entry), ['node', ...options, 'dist/main.js'], name);
    const unit = readFileSync(join(here, 'systemd', `cairn-${name}.service`), 'utf8');
    assert.match(
      unit,
      new RegExp(`^ExecStart=/usr/bin/node ${[...options, ''].join(' ')}/opt/cairn/${name}/`, 'm'),
      name,
    );
    for (const option of options) assert.ok(up.includes(`'${option}'`), `${name}: ${option} in up.ts`);
  }
  // Compose and the chart run the images: a command of their own would replace the options.
  for (const file of ['compose.yaml', 'compose.distributed.yaml']) {
    const { services: composed } = parse(readFileSync(join(here, 'docker', file), 'utf8'), { merge: true });
    for (const name of services)
      assert.deepEqual([composed[name].command, composed[name].entrypoint], [undefined, undefined]);
  }
});

const engineSettings = ['CAIRN_DATABASE_URL', 'CAIRN_OBJECT_STORE', 'CAIRN_REDIS_URL', 'CAIRN_SECRETS_KEY'];

test('the distributed compose file shares engines and a secrets key, and no volume', () => {
  const text = readFileSync(join(here, 'docker', 'compose.distributed.yaml'), 'utf8');
  const { services: composed, volumes } = parse(text, { merge: true });
  for (const name of [...services, 'cairn']) {
    const { environment, build, ...service } = composed[name];
    for (const setting of engineSettings) assert.ok(environment[setting], `${name} has no ${setting}`);
    assert.deepEqual([service.volumes, service.pid], [undefined, undefined], name);
    assert.equal(service.read_only, true, name);
    assert.ok(existsSync(join(here, '..', '..', build.dockerfile)), name);
    if (!['ipfs-peer', 'cairn'].includes(name)) assert.ok(service.deploy.replicas > 1, name);
  }
  // Volumes of the engines only, which another deployment replaces by its own engines.
  assert.deepEqual(Object.keys(volumes), ['postgres', 's3']);
  for (const name of ['postgres', 'redis', 's3', 'bucket'])
    assert.deepEqual(composed[name].profiles, ['engines'], name);
  const balancer = readFileSync(join(here, 'docker', 'haproxy.cfg'), 'utf8');
  for (const address of ['storage-api:5001', 'rpc-gateway:8545', 'ipfs-gateway:8081', 'console:8080'])
    assert.match(balancer, new RegExp(`^ +server-template \\w+ \\d+ ${address}$`, 'm'));
  // Services with limits per address read that of the client, which the balancer writes.
  for (const [name, setting, port] of [
    ['ipfs-gateway', 'IPFS_GATEWAY_TRUSTED_PROXIES', 8081],
    ['console', 'CONSOLE_TRUSTED_PROXIES', 8080],
  ]) {
    assert.match(composed[name].environment[setting], /172\.16\.0\.0\/12/);
    const frontend = balancer.split('\nfrontend ').find((text) => text.includes(`bind :${port}\n`));
    assert.match(frontend, /http-request set-header X-Forwarded-For %\[src\]/, name);
  }
});

const haproxy = engineProgram('haproxy');

test('HAProxy accepts the configuration of the balancer', {
  skip: haproxy === undefined && howToEnableEngine('haproxy'),
}, () => {
  execFileSync(haproxy, ['-c', '-q', '-f', join(here, 'docker', 'haproxy.cfg')]);
});

test('each service has a Dockerfile and a systemd unit that start the deployed folder without root', () => {
  for (const name of services) {
    const dockerfile = readFileSync(join(here, 'docker', `${name}.Dockerfile`), 'utf8');
    assert.match(dockerfile, new RegExp(`deploy\\.mjs ${name} /out`));
    assert.match(dockerfile, /^USER 10001:10001$/m);
    const unit = readFileSync(join(here, 'systemd', `cairn-${name}.service`), 'utf8');
    assert.match(unit, new RegExp(`^ExecStart=/usr/bin/node .*/opt/cairn/${name}/dist/main\\.js$`, 'm'));
    assert.match(unit, /^User=cairn$/m);
  }
});

const promtool = ['/usr/bin/promtool', '/usr/local/bin/promtool'].find(existsSync);

test('alert rules are valid and fire in their test cases', {
  skip: promtool === undefined && 'skipped: promtool is not installed; on Debian, run: apt-get install prometheus',
}, () => {
  const options = { cwd: join(here, 'prometheus'), encoding: 'utf8' };
  assert.match(execFileSync(promtool, ['check', 'rules', 'alerts.yml'], options), /SUCCESS/);
  assert.match(execFileSync(promtool, ['test', 'rules', 'alerts.test.yml'], options), /SUCCESS/);
});

test('dashboard and alerts use metrics that the services export', () => {
  const root = join(here, '..', '..');
  const sources = ['apps', 'libs']
    .flatMap((group) => readdirSync(join(root, group)).map((name) => join(root, group, name, 'src')))
    .filter((directory) => existsSync(directory))
    .flatMap((directory) => readdirSync(directory, { recursive: true }).map((path) => join(directory, path)))
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');
  const asked = [
    readFileSync(join(here, 'grafana', 'cairn.json'), 'utf8'),
    readFileSync(join(here, 'prometheus', 'alerts.yml'), 'utf8'),
    readFileSync(join(here, 'prometheus', 'adapter-values.yaml'), 'utf8'),
    readFileSync(join(here, 'helm', 'cairn', 'templates', '_distributed.tpl'), 'utf8'),
  ]
    .join('\n')
    .matchAll(/\bcairn_(?!nodejs_|process_)[a-z_]+/g);
  const names = new Set([...asked].map(([name]) => name));
  assert.ok(names.size > 10);
  for (const name of names) assert.ok(sources.includes(`'${name}'`), `no service has ${name}`);
});

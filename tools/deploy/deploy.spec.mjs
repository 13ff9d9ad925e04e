import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const here = fileURLToPath(new URL('.', import.meta.url));
const place = mkdtempSync(join(tmpdir(), 'cairn-deploy-'));
after(() => rmSync(place, { recursive: true, force: true }));

/** Starts what was deployed, from an empty directory and with nothing of the workspace, until its line in the log. */
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

const services = {
  'storage-api': { STORAGE_API_PORT: '0', STORAGE_API_ADMIN_PORT: '0' },
  'rpc-gateway': { RPC_GATEWAY_PORT: '0', RPC_GATEWAY_ADMIN_PORT: '0' },
  console: { CONSOLE_PORT: '0', CONSOLE_ADMIN_PORT: '0' },
};

for (const [name, env] of Object.entries(services)) {
  test(`${name}: a folder of its own starts, is ready and drains`, { timeout: 180_000 }, async () => {
    const made = join(place, name);
    await run(process.execPath, [join(here, 'deploy.mjs'), name, made, '--no-build'], { maxBuffer: 64 * 1024 * 1024 });
    // As it is copied to another machine: nothing in it may lead back.
    const folder = join(place, `${name}-elsewhere`);
    cpSync(made, folder, { recursive: true, verbatimSymlinks: true });
    rmSync(made, { recursive: true });
    for (const absent of ['jest', '@jest/globals', 'typescript', 'vite', 'playwright-core', 'fast-check'])
      assert.equal(existsSync(join(folder, 'node_modules', absent)), false, `${absent} is for development`);
    for (const absent of ['src', 'e2e', 'web']) assert.equal(existsSync(join(folder, absent)), false, absent);
    const networks = join(folder, 'sample-network', 'networks.json');
    const { child, adminPort } = await start(folder, {
      ...env,
      ...(existsSync(networks) && { CAIRN_NETWORKS: networks }),
    });
    const ended = once(child, 'exit');
    try {
      let ready = await fetch(`http://127.0.0.1:${adminPort}/readyz`);
      for (let tries = 0; tries < 200 && ready.status !== 200; tries++) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        ready = await fetch(`http://127.0.0.1:${adminPort}/readyz`);
      }
      assert.equal(ready.status, 200, await ready.text());
      assert.match(await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text(), /^cairn_process_/m);
    } finally {
      child.kill('SIGTERM');
    }
    assert.deepEqual(await ended, [0, null]);
  });
}

test('each service has a Dockerfile and a unit that start what is deployed, not as root', () => {
  for (const name of Object.keys(services)) {
    const dockerfile = readFileSync(join(here, 'docker', `${name}.Dockerfile`), 'utf8');
    assert.match(dockerfile, new RegExp(`deploy\\.mjs ${name} /out`));
    assert.match(dockerfile, /^USER 10001:10001$/m);
    const unit = readFileSync(join(here, 'systemd', `cairn-${name}.service`), 'utf8');
    assert.match(unit, new RegExp(`^ExecStart=/usr/bin/node .*/opt/cairn/${name}/dist/main\\.js$`, 'm'));
    assert.match(unit, /^User=cairn$/m);
  }
});

const promtool = ['/usr/bin/promtool', '/usr/local/bin/promtool'].find(existsSync);

test('alert rules are right and fire when they should', {
  skip: promtool === undefined && 'there is no promtool here; on Debian: apt-get install prometheus',
}, () => {
  const options = { cwd: join(here, 'prometheus'), encoding: 'utf8' };
  assert.match(execFileSync(promtool, ['check', 'rules', 'alerts.yml'], options), /SUCCESS/);
  assert.match(execFileSync(promtool, ['test', 'rules', 'alerts.test.yml'], options), /SUCCESS/);
});

test('dashboard and alerts ask for metrics that services have', () => {
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
  ]
    .join('\n')
    .matchAll(/\bcairn_(?!nodejs_|process_)[a-z_]+/g);
  const names = new Set([...asked].map(([name]) => name));
  assert.ok(names.size > 10);
  for (const name of names) assert.ok(sources.includes(`'${name}'`), `no service has ${name}`);
});

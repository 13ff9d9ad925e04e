import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';

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

const services = ['storage-api', 'rpc-gateway', 'ipfs-gateway', 'ipfs-peer', 'console'];

// The guide to production starts all services; see tools/docs.
test('a deployed folder starts in another place, becomes ready and drains', { timeout: 180_000 }, async () => {
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
  const { child, adminPort } = await start(folder, { RPC_GATEWAY_PORT: '0', RPC_GATEWAY_ADMIN_PORT: '0' });
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

test('the schema of the chart accepts its values and refuses others', () => {
  const read = (file) => readFileSync(join(here, 'helm', 'cairn', file), 'utf8');
  const check = new Ajv({ strict: true, strictRequired: false, allowUnionTypes: true }).compile(
    JSON.parse(read('values.schema.json')),
  );
  const values = parse(read('values.yaml'));
  assert.ok(check(values), JSON.stringify(check.errors));
  const wrong = [
    { ...values, gatway: {} },
    { ...values, settings: { 'log level': 'info' } },
    { ...values, persistence: { size: 'big' } },
    { ...values, networks: [{ name: 'mainnet', genesis: 'mainnet' }] },
    { ...values, storage: { ...values.storage, scaling: {} } },
  ];
  for (const one of wrong) assert.equal(check(one), false);
});

const helm = ['/usr/bin/helm', '/usr/local/bin/helm'].find(existsSync);

test('the chart renders with and without scaled gateways', {
  skip: helm === undefined && 'skipped: helm is not installed; see https://helm.sh/docs/intro/install/',
}, () => {
  const chart = join(here, 'helm', 'cairn');
  execFileSync(helm, ['lint', '--strict', chart]);
  const render = (...args) =>
    parseAllDocuments(
      execFileSync(helm, ['template', 'prod', chart, '--kube-version', '1.30.0', ...args], { encoding: 'utf8' }),
    )
      .map((document) => document.toJS())
      .filter(Boolean);
  const kinds = (documents) => documents.map(({ kind }) => kind).sort();
  const one = render();
  assert.deepEqual(kinds(one), [
    ...['ConfigMap', 'NetworkPolicy', 'PersistentVolumeClaim', 'PodDisruptionBudget'],
    ...['Service', 'Service', 'Service', 'Service', 'Service', 'StatefulSet'],
  ]);
  const pod = one.find(({ kind }) => kind === 'StatefulSet').spec.template.spec;
  assert.equal(pod.shareProcessNamespace, true);
  assert.equal(pod.enableServiceLinks, false);
  const named = (name) => pod.containers.find((container) => container.name === name);
  const settingsOf = (name) => Object.fromEntries(named(name).env.map((each) => [each.name, each.value]));
  for (const name of ['storage-api', 'ipfs-gateway', 'console'])
    assert.equal(settingsOf(name).IPFS_PEER_URL, 'http://127.0.0.1:5011', name);
  assert.equal(settingsOf('ipfs-peer').IPFS_PEER_API_PORT, '5011');
  const swarm = one.find(({ metadata }) => metadata.name.endsWith('-ipfs-peer')).spec;
  assert.deepEqual(
    swarm.ports.map(({ port }) => port),
    [4001, 4002],
  );
  const withoutPeer = JSON.stringify(render('--set', 'ipfsPeer.enabled=false'));
  assert.doesNotMatch(withoutPeer, /ipfs-peer|IPFS_PEER_URL/);
  const several = render('--set', 'gateway.scaling.enabled=true');
  assert.ok(kinds(several).includes('HorizontalPodAutoscaler') && kinds(several).includes('Deployment'));
  assert.throws(() => render('--set', 'gateway.scaling.enabled=true,tlsSecret=x'), /exclude each other/);
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
  ]
    .join('\n')
    .matchAll(/\bcairn_(?!nodejs_|process_)[a-z_]+/g);
  const names = new Set([...asked].map(([name]) => name));
  assert.ok(names.size > 10);
  for (const name of names) assert.ok(sources.includes(`'${name}'`), `no service has ${name}`);
});

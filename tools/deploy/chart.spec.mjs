import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';

const here = fileURLToPath(new URL('.', import.meta.url));

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
    { ...values, distributed: { ...values.distributed, postgres: {} } },
    { ...values, distributed: { ...values.distributed, gateway: { ...values.distributed.gateway, minReplicas: 0 } } },
  ];
  for (const one of wrong) assert.equal(check(one), false);
});

const chart = join(here, 'helm', 'cairn');
const helm = [...(process.env.PATH ?? '').split(delimiter), '/usr/local/bin']
  .map((directory) => join(directory, 'helm'))
  .find(existsSync);
const skip = helm === undefined && 'skipped: helm is not installed; see https://helm.sh/docs/intro/install/';
const render = (...args) =>
  parseAllDocuments(
    execFileSync(helm, ['template', 'prod', chart, '--kube-version', '1.30.0', ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
    .map((document) => document.toJS())
    .filter(Boolean);
const kinds = (documents) => documents.map(({ kind }) => kind).sort();

test('the chart renders with and without scaled gateways', { skip }, () => {
  execFileSync(helm, ['lint', '--strict', chart]);
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

test('the distributed form has replicas, budgets and autoscalers, and no shared volume or process IDs', {
  skip,
}, () => {
  const form = ['--set', 'distributed.enabled=true,distributed.secret=engines'];
  execFileSync(helm, ['lint', '--strict', chart, ...form]);
  const documents = render(...form);
  const text = JSON.stringify(documents);
  assert.doesNotMatch(text, /hostPID|persistentVolumeClaim|PersistentVolumeClaim|127\.0\.0\.1/);
  const of = (kind) => documents.filter((document) => document.kind === kind);
  const pods = [...of('Deployment'), ...of('StatefulSet')];
  const named = Object.fromEntries(pods.map((each) => [each.metadata.name.replace('prod-cairn-', ''), each]));
  assert.deepEqual(Object.keys(named).sort(), ['console', 'gateway', 'ipfs-gateway', 'ipfs-peer', 'storage']);
  for (const [name, { spec }] of Object.entries(named)) {
    for (const container of [...spec.template.spec.containers, ...(spec.template.spec.initContainers ?? [])]) {
      const sources = JSON.stringify(container.envFrom);
      assert.match(sources, /"secretRef":\{"name":"engines"\}/, `${name} ${container.name}`);
      assert.equal(container.securityContext.readOnlyRootFilesystem, true);
    }
    const [{ readinessProbe, lifecycle }] = spec.template.spec.containers;
    assert.equal(readinessProbe.httpGet.path, '/readyz', name);
    assert.deepEqual(lifecycle.preStop.exec.command, ['sleep', '5'], name);
  }
  // Replicas of the autoscaler are not reset by an upgrade of the chart.
  for (const name of ['storage', 'gateway', 'ipfs-gateway']) assert.equal(named[name].spec.replicas, undefined, name);
  assert.deepEqual([named['ipfs-peer'].spec.replicas, named['ipfs-peer'].spec.strategy.type], [1, 'Recreate']);
  const [gateway] = named.gateway.spec.template.spec.containers;
  assert.ok(gateway.env.some(({ name, value }) => name === 'CAIRN_READY_LAG_BLOCKS_MAX' && value === '5'));
  assert.deepEqual(named.gateway.spec.volumeClaimTemplates[0].spec.accessModes, ['ReadWriteOnce']);
  const targets = of('HorizontalPodAutoscaler').map(({ spec }) => [
    `${spec.scaleTargetRef.kind} ${spec.scaleTargetRef.name}`,
    spec.metrics[0].pods.metric.name,
  ]);
  assert.deepEqual(targets.sort(), [
    ['Deployment prod-cairn-ipfs-gateway', 'cairn_requests_in_flight'],
    ['Deployment prod-cairn-storage', 'cairn_requests_in_flight'],
    ['StatefulSet prod-cairn-gateway', 'cairn_requests_in_flight'],
  ]);
  assert.equal(of('PodDisruptionBudget').length, 4);
  checkSelectors(documents, pods);
});

/** Checks that each service and budget selects the pods of one workload. */
function checkSelectors(documents, workloads) {
  const matches = (labels, selector) => Object.entries(selector).every(([key, value]) => labels[key] === value);
  for (const { kind, metadata, spec } of documents) {
    if (kind !== 'Service' && kind !== 'PodDisruptionBudget') continue;
    const selector = spec.selector.matchLabels ?? spec.selector;
    const selected = workloads.filter((each) => matches(each.spec.template.metadata.labels, selector));
    assert.equal(selected.length, 1, `${kind} ${metadata.name}`);
    const ports = selected[0].spec.template.spec.containers.flatMap(({ ports = [] }) => ports);
    for (const { targetPort } of spec.ports ?? [])
      assert.ok(targetPort === 5011 || ports.some(({ containerPort }) => containerPort === targetPort), metadata.name);
  }
}

test('the distributed form refuses values that it cannot have', { skip }, () => {
  assert.throws(() => render('--set', 'distributed.enabled=true'), /distributed\.secret is empty/);
  for (const wrong of ['tlsSecret=x', 'gateway.scaling.enabled=true'])
    assert.throws(
      () => render('--set', `distributed.enabled=true,distributed.secret=engines,${wrong}`),
      /exclude each other|of the embedded form/,
    );
});

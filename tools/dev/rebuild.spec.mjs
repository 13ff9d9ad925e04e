import assert from 'node:assert/strict';
import { test } from 'node:test';
import { servicesReached } from './packages.mjs';
import { Rebuild } from './rebuild.mjs';

/** A rebuild whose builds end when the test resolves them. */
function start() {
  const builds = [];
  const restarts = [];
  const lines = [];
  let onBuild;
  const rebuild = new Rebuild({
    quietMs: 1,
    build: (names) =>
      new Promise((resolve) => {
        builds.push({ names, end: resolve });
        onBuild?.();
      }),
    restart: (names) => restarts.push(names),
    report: (line) => lines.push(line),
  });
  const build = async (count) => {
    while (builds.length < count) await new Promise((resolve) => (onBuild = resolve));
    return builds[count - 1];
  };
  const settled = () => new Promise((resolve) => setTimeout(resolve, 20));
  return { rebuild, build, builds, restarts, lines, settled };
}

test('changes within the pause lead to one build and one restart', async () => {
  const { rebuild, build, builds, restarts, settled } = start();
  for (const name of ['cid', 'auth', 'cid']) rebuild.changed(name);
  (await build(1)).end(true);
  await settled();
  assert.deepEqual(
    builds.map(({ names }) => names),
    [['auth', 'cid']],
  );
  assert.deepEqual(restarts, [['auth', 'cid']]);
});

test('a failed build restarts nothing and its package joins the next build', async () => {
  const { rebuild, build, restarts, lines, settled } = start();
  rebuild.changed('cid');
  (await build(1)).end(false);
  await settled();
  assert.deepEqual(restarts, []);
  assert.match(lines.at(-1), /keep running the last build that succeeded/);
  rebuild.changed('auth');
  const second = await build(2);
  assert.deepEqual(second.names, ['auth', 'cid']);
  second.end(true);
  await settled();
  assert.deepEqual(restarts, [['auth', 'cid']]);
});

test('a change during a build leads to one more build, and only the last one restarts', async () => {
  const { rebuild, build, restarts, settled } = start();
  rebuild.changed('cid');
  const first = await build(1);
  rebuild.changed('dag');
  rebuild.changed('cid');
  first.end(true);
  (await build(2)).end(true);
  await settled();
  assert.deepEqual(restarts, [['cid', 'dag']]);
});

test('stop drops what waits for a build', async () => {
  const { rebuild, builds, settled } = start();
  rebuild.changed('cid');
  rebuild.stop();
  await settled();
  assert.deepEqual(builds, []);
});

test('a change reaches the services that contain the package through others', () => {
  const packages = new Map(
    Object.entries({ cid: [], dag: ['cid'], auth: [], storage: ['dag', 'auth'], gateway: ['auth'] }).map(
      ([name, dependencies]) => [name, { dependencies }],
    ),
  );
  const services = ['storage', 'gateway'];
  assert.deepEqual(servicesReached(packages, ['cid'], services), ['storage']);
  assert.deepEqual(servicesReached(packages, ['auth'], services), ['storage', 'gateway']);
  assert.deepEqual(servicesReached(packages, ['gateway'], services), ['gateway']);
});

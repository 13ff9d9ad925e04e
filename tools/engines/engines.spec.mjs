import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { engineProgram, howToEnableEngine, startPostgres, startRedis, startRedisCluster, startS3 } from './index.mjs';

const skipUnless = (name) => ({ skip: engineProgram(name) === undefined && howToEnableEngine(name), timeout: 120_000 });

test('a promoted standby of PostgreSQL has the rows of the killed primary', skipUnless('postgres'), async () => {
  const psql = (url, statement) => {
    const program = join(dirname(engineProgram('postgres')), 'psql');
    const { stdout, stderr, status } = spawnSync(program, [url, '-qtAc', statement], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    return stdout.trim();
  };
  const primary = await startPostgres();
  const standby = await primary.startStandby();
  psql(primary.url, 'CREATE TABLE kept (value integer)');
  psql(primary.url, 'SET synchronous_commit = on; INSERT INTO kept VALUES (7)');
  const position = psql(primary.url, 'SELECT pg_current_wal_lsn()');
  for (
    let tries = 0;
    psql(standby.url, `SELECT pg_last_wal_replay_lsn() >= '${position}'`) !== 't' && tries < 500;
    tries++
  )
    await new Promise((resolve) => setTimeout(resolve, 10));
  await primary.kill();
  await standby.promote();
  assert.equal(psql(standby.url, 'INSERT INTO kept VALUES (8); SELECT sum(value) FROM kept'), '15');
  await primary.start();
  assert.equal(psql(primary.url, 'SELECT sum(value) FROM kept'), '7');
  primary.pause();
  primary.resume();
  assert.equal(psql(primary.url, 'SELECT 1'), '1');
  await Promise.all([primary.remove(), standby.remove()]);
});

test('Redis starts alone and as a cluster of three', skipUnless('redis'), async () => {
  const client = engineProgram('redis')?.replace(/-server$/, '-cli');
  const alone = await startRedis();
  assert.equal(spawnSync(client, ['-u', alone.url, 'SET', 'a', '1'], { encoding: 'utf8' }).stdout.trim(), 'OK');
  await alone.stop();
  const { nodes, urls, stop } = await startRedisCluster();
  const asked = spawnSync(client, ['-u', urls[0], 'CLUSTER', 'INFO'], { encoding: 'utf8' });
  assert.match(asked.stdout, /cluster_known_nodes:3/);
  assert.equal(nodes.length, 3);
  await stop();
});

test('the S3 server refuses a request without credentials', skipUnless('s3'), async () => {
  const server = await startS3();
  const answer = await fetch(`${server.endpoint}/bucket/key`);
  assert.equal(answer.status, 403);
  await server.stop();
});

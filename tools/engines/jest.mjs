import { afterAll, beforeAll, describe } from '@jest/globals';
import { startPostgres } from './postgres.mjs';
import { engineProgram, howToEnableEngine } from './programs.mjs';
import { startRedis, startRedisCluster } from './redis.mjs';
import { startS3 } from './s3.mjs';

/**
 * Declares tests that need a PostgreSQL server. Without the program they are skipped, with one line.
 * @param {string} title
 * @param {(server: () => object) => void} tests `server` returns the running server, from within a test
 */
export const describeWithPostgres = describeWith('postgres', startPostgres, (server) => server.remove());

/**
 * Declares tests that need an S3 server. Without the program they are skipped, with one line.
 * @param {string} title
 * @param {(server: () => object) => void} tests `server` returns the running server, from within a test
 */
export const describeWithS3 = describeWith('s3', startS3, (server) => server.stop());

const describeWithOneRedis = describeWith('redis', startRedis, (server) => server.stop());
const describeWithRedisCluster = describeWith('redis', startClusterUnderTest, (server) => server.stop());

/**
 * Declares tests that need Redis: one server, or a cluster of three. Without the program they are skipped, with one line.
 * @param {string} title
 * @param {(server: () => object) => void} tests `server` returns the running server or cluster, from within a test
 * @param {{ isCluster?: boolean }} [options]
 */
export function describeWithRedis(title, tests, { isCluster = false } = {}) {
  (isCluster ? describeWithRedisCluster : describeWithOneRedis)(title, tests);
}

async function startClusterUnderTest() {
  const cluster = await startRedisCluster();
  const flush = () => Promise.all(cluster.nodes.map((node) => node.flush()));
  return { ...cluster, url: cluster.urls.join(','), flush };
}

function describeWith(engine, start, end) {
  return (title, tests) => {
    const isInstalled = engineProgram(engine) !== undefined;
    if (!isInstalled) console.log(howToEnableEngine(engine));
    (isInstalled ? describe : describe.skip)(title, () => {
      let server;
      beforeAll(async () => {
        server = await start();
      }, 60_000);
      afterAll(() => end(server));
      tests(() => server);
    });
  };
}

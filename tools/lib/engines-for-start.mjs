// Engines of `npm start -- --distributed`. Their programs are installed by `node tools/engines/install.mjs`.
import { randomBytes } from 'node:crypto';
import { howToEnableEngine, startPostgres, startRedis, startS3 } from '../engines/index.mjs';

const starters = [
  ['postgres', startPostgres, (server) => server.remove()],
  ['redis', startRedis, (server) => server.stop()],
  ['s3', startS3, (server) => server.stop()],
];

/**
 * Starts PostgreSQL, Redis and an S3 server on free loopback ports, over temporary directories.
 * @returns the settings of the services, and what stops the engines and removes their files
 */
export async function startEngines() {
  const stops = [];
  const stop = async () => {
    for (const end of stops.splice(0).reverse()) await end();
  };
  const servers = {};
  try {
    for (const [name, start, end] of starters) {
      const server = await start();
      if (server === undefined) throw new Error(howToEnableEngine(name).replace('skipped: ', ''));
      stops.push(() => end(server));
      servers[name] = server;
    }
    const { postgres, redis, s3 } = servers;
    const env = {
      CAIRN_DATABASE_URL: await postgres.createDatabase(),
      CAIRN_REDIS_URL: redis.url,
      CAIRN_OBJECT_STORE: s3.createStore(),
      AWS_ACCESS_KEY_ID: s3.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
      CAIRN_SECRETS_KEY: process.env.CAIRN_SECRETS_KEY ?? randomBytes(32).toString('base64'),
    };
    return { env, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

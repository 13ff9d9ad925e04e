import {
  type PostgresServer,
  type RedisServer,
  type S3Server,
  startPostgres,
  startRedis,
  startS3,
} from '../../../tools/engines/index.mjs';
import { Relay } from './relay.ts';

/** Settings of the distributed form that all processes share. */
export interface DistributedSettings extends Readonly<Record<string, string>> {
  readonly CAIRN_DATABASE_URL: string;
  readonly CAIRN_OBJECT_STORE: string;
  readonly CAIRN_REDIS_URL: string;
  readonly AWS_ACCESS_KEY_ID: string;
  readonly AWS_SECRET_ACCESS_KEY: string;
  readonly CAIRN_SECRETS_KEY: string;
}

/** PostgreSQL, Redis and an S3 server for tests of the distributed form. */
export interface Engines {
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
  readonly s3: S3Server;
  /** Lines to the engines, if they were asked for. */
  readonly lines: Readonly<Record<'postgres' | 'redis' | 's3', Relay>> | undefined;
  /** Creates an empty database and an empty object store. */
  newDeployment(): Promise<DistributedSettings>;
  stop(): Promise<void>;
}

/**
 * Starts the engines.
 * @param isCuttable whether processes connect over lines that tests can cut
 */
export async function startEngines({ isCuttable = false } = {}): Promise<Engines> {
  const [postgres, redis, s3] = await Promise.all([startPostgres(), startRedis(), startS3()]);
  if (!postgres || !redis || !s3) {
    await Promise.all([postgres?.remove(), redis?.stop(), s3?.stop()]);
    throw new Error('An engine is not installed; run `node tools/engines/install.mjs`.');
  }
  const s3Port = Number(new URL(s3.endpoint).port);
  const lines = isCuttable
    ? {
        postgres: await Relay.start([postgres.port]),
        redis: await Relay.start([redis.port]),
        s3: await Relay.start([s3Port]),
      }
    : undefined;
  const over = (url: string, port: number, line: Relay | undefined) =>
    line === undefined ? url : url.replace(`127.0.0.1:${port}`, `127.0.0.1:${line.port}`);
  return {
    postgres,
    redis,
    s3,
    lines,
    newDeployment: async () => ({
      CAIRN_DATABASE_URL: over(await postgres.createDatabase(), postgres.port, lines?.postgres),
      CAIRN_OBJECT_STORE: over(s3.createStore(), s3Port, lines?.s3),
      CAIRN_REDIS_URL: over(redis.url, redis.port, lines?.redis),
      AWS_ACCESS_KEY_ID: s3.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3.secretAccessKey,
      CAIRN_SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    }),
    async stop() {
      await Promise.all([
        ...Object.values(lines ?? {}).map((line) => line.stop()),
        postgres.remove(),
        redis.stop(),
        s3.stop(),
      ]);
    },
  };
}

import { errorText } from '@cairn/errors';
import type { CommandSettings } from '../settings.ts';
import { type Finding, fault, good, warning } from './finding.ts';

/** Checks the engines of the distributed form: PostgreSQL answers and is new enough, Redis answers, the bucket works. */
export async function checkEngines(settings: CommandSettings): Promise<Finding[]> {
  const { CAIRN_DATABASE_URL: database, CAIRN_REDIS_URL: redis, CAIRN_OBJECT_STORE: bucket } = settings;
  const checks: Promise<Finding>[] = [];
  if (database !== undefined)
    checks.push(check('PostgreSQL', 'CAIRN_DATABASE_URL', fault, () => checkPostgres(database)));
  if (redis !== undefined) checks.push(check('Redis', 'CAIRN_REDIS_URL', warning, () => checkRedis(redis)));
  if (bucket !== undefined)
    checks.push(check('The object store', 'CAIRN_OBJECT_STORE', fault, () => checkBucket(bucket, settings)));
  return await Promise.all(checks);
}

async function check(name: string, setting: string, failed: typeof fault, use: () => Promise<void>): Promise<Finding> {
  try {
    await use();
    return good('engines', `${name} (${setting}) works.`);
  } catch (error) {
    return failed('engines', `${name}: ${errorText(error)}`, `Check ${setting} and that this machine reaches it.`);
  }
}

async function checkPostgres(url: string): Promise<void> {
  const { openPostgres } = await import('@cairn/postgres');
  await (await openPostgres({ url })).close();
}

async function checkRedis(url: string): Promise<void> {
  const { openRedis } = await import('@cairn/redis');
  const redis = await openRedis({ url });
  const { servers, serversUp } = redis.state();
  await redis.close();
  if (serversUp < servers || servers === 0) throw new Error(`${serversUp} of ${servers} servers answer.`);
}

/** Writes, reads and deletes small objects, as services do at their start. */
async function checkBucket(url: string, settings: CommandSettings): Promise<void> {
  const { openS3ObjectStore, probeObjectStore, s3Credentials } = await import('@cairn/object-store/s3');
  const objects = await openS3ObjectStore({ url, credentials: s3Credentials(settings) });
  try {
    await probeObjectStore(objects);
  } finally {
    await objects.close();
  }
}

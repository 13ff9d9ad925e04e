export { startPostgres } from './postgres.mjs';
export { engineProgram, howToEnableEngine } from './programs.mjs';
export { startRedis, startRedisCluster } from './redis.mjs';
export { startS3 } from './s3.mjs';

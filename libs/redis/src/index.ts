export { RedisError, type RedisErrorCode } from './errors.ts';
export { redisLimits } from './limits.ts';
export {
  openRedis,
  type Redis,
  type RedisOptions,
  type RedisServerState,
  type RedisState,
  type ScriptCall,
} from './redis.ts';
export { type RedisScript, redisScript } from './script.ts';

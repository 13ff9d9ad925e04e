export { openRedisLimitStore, type RedisLimitStoreOptions } from './redis-limit-store.ts';

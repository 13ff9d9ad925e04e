export { BatchedLookups } from './batched-lookups.ts';
export { PostgresError, type PostgresErrorCode } from './errors.ts';
export { postgresLimits } from './limits.ts';
export type { NoticeOptions } from './listener.ts';
export type { Migrations } from './migrate.ts';
export {
  openPostgres,
  type Parameter,
  type Postgres,
  type PostgresOptions,
  type PostgresState,
  type Rows,
  type Statement,
  type Transaction,
} from './postgres.ts';

import type { PostgresServer } from './index.d.mts';

/** Declares tests that need a PostgreSQL server. Without the program they are skipped, with one line. */
export declare function describeWithPostgres(title: string, tests: (server: () => PostgresServer) => void): void;

import type { PostgresServer, S3Server } from './index.d.mts';

/** Declares tests that need a PostgreSQL server. Without the program they are skipped, with one line. */
export declare function describeWithPostgres(title: string, tests: (server: () => PostgresServer) => void): void;

/** Declares tests that need an S3 server. Without the program they are skipped, with one line. */
export declare function describeWithS3(title: string, tests: (server: () => S3Server) => void): void;

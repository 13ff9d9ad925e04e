import type { PostgresServer, RedisServer, S3Server } from './index.d.mts';

/** Declares tests that need a PostgreSQL server. Without the program they are skipped, with one line. */
export declare function describeWithPostgres(title: string, tests: (server: () => PostgresServer) => void): void;

/** Declares tests that need an S3 server. Without the program they are skipped, with one line. */
export declare function describeWithS3(title: string, tests: (server: () => S3Server) => void): void;

/** One server, or a cluster with the URLs of its servers. */
export interface RedisUnderTest extends Pick<RedisServer, 'url'> {
  /** Servers of a cluster. */
  readonly nodes?: readonly RedisServer[];
  /** Removes all keys. */
  flush(): Promise<unknown>;
}

/** Declares tests that need Redis. Without the program they are skipped, with one line. */
export declare function describeWithRedis(
  title: string,
  tests: (server: () => RedisUnderTest) => void,
  options?: { readonly isCluster?: boolean },
): void;

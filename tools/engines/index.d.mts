export type EngineName = 'postgres' | 'redis' | 'haproxy' | 's3';
export declare function engineProgram(name: EngineName): string | undefined;
/** Line that a skipped test prints. */
export declare function howToEnableEngine(name: EngineName): string;

export interface PostgresServer {
  readonly url: string;
  readonly port: number;
  /** Creates an empty database and returns its URL. */
  createDatabase(): Promise<string>;
  /** Starts it again after `stop` or `kill`, on the same port and data. */
  start(): Promise<unknown>;
  stop(): Promise<unknown>;
  kill(): Promise<unknown>;
  pause(): void;
  resume(): void;
  promote(): Promise<unknown>;
  startStandby(): Promise<PostgresServer>;
  /** Ends it and removes its files. */
  remove(): Promise<void>;
}
/** Undefined where PostgreSQL is not installed. */
export declare function startPostgres(): Promise<PostgresServer | undefined>;

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Removes all keys. */
  flush(): Promise<boolean>;
  kill(): void;
  /** Starts it again after `kill`, on the same ports. Redis loses its data. */
  start(): Promise<void>;
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}
export declare function startRedis(options?: { readonly port?: number }): Promise<RedisServer | undefined>;
export declare function startRedisCluster(): Promise<
  { readonly nodes: readonly RedisServer[]; readonly urls: readonly string[]; stop(): Promise<unknown> } | undefined
>;

export interface S3Server {
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** URL of an empty object store: `s3://bucket/prefix?endpoint=…&region=…`. */
  createStore(): string;
  kill(): void;
  /** Starts it again after `kill`, on the same ports. Redis loses its data. */
  start(): Promise<void>;
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}
export declare function startS3(): Promise<S3Server | undefined>;

import { existingFile, integer, oneOf, path, port, secret, text, url } from './setting.ts';
import type { SettingsShape, SettingsValues } from './settings-shape.ts';

const bindAddress = () =>
  text(/^[0-9A-Za-z.:_-]{1,255}$/, 'an address or host name to listen on, such as 127.0.0.1 or 0.0.0.0').default(
    '127.0.0.1',
  );
const secretsKeyPattern = /^([A-Za-z0-9+/_-]{43}=?|[0-9a-fA-F]{64})(,([A-Za-z0-9+/_-]{43}=?|[0-9a-fA-F]{64})){0,7}$/;
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const MiB = 1024 * 1024;
const TiB = 1024 * 1024 * MiB;

/** Settings of every program. */
export const commonSettings = {
  CAIRN_BIND: bindAddress().describe('Address that the services listen on.'),
  CAIRN_ADMIN_BIND: bindAddress().describe('Address that the admin ports listen on.'),
  CAIRN_HOSTS: text(/^[A-Za-z0-9.-]+(,[A-Za-z0-9.-]+)*$/, 'host names such as cairn.example,metrics.example')
    .optional()
    .describe('Host names that the console and the admin ports accept, beside IP addresses and names without a dot.'),
  CAIRN_PUBLIC_CONSOLE_URL: url()
    .optional()
    .describe(
      'Address of the console in browsers. With https its cookie is Secure. Default: the Host of each request.',
    ),
  CAIRN_HOME: path().default('.cairn').describe('Directory of the embedded stores.'),
  CAIRN_DATABASE_URL: secret(
    /^postgres(ql)?:\/\/[^\s]{1,2000}$/,
    'a URL such as postgres://cairn:password@db.example/cairn?sslmode=verify-full',
  )
    .optional()
    .describe('PostgreSQL that holds all shared state, for services on several machines. Default: CAIRN_HOME.'),
  CAIRN_OBJECT_STORE: secret(
    /^s3:\/\/[^\s]{1,2000}$/,
    'a URL such as s3://bucket/prefix?endpoint=https://s3.example&region=eu-1',
  )
    .optional()
    .describe('Bucket that holds the blocks; needs CAIRN_DATABASE_URL. Default: CAIRN_HOME.'),
  AWS_ACCESS_KEY_ID: secret(/^[\x21-\x7e]{1,256}$/, '1 to 256 printable ASCII characters without spaces')
    .optional()
    .describe('Access key of the bucket in CAIRN_OBJECT_STORE.'),
  AWS_SECRET_ACCESS_KEY: secret(/^[\x21-\x7e]{1,256}$/, '1 to 256 printable ASCII characters without spaces')
    .optional()
    .describe('Secret of AWS_ACCESS_KEY_ID.'),
  AWS_SESSION_TOKEN: secret(/^[\x21-\x7e]{1,8192}$/, '1 to 8192 printable ASCII characters without spaces')
    .optional()
    .describe('Token of temporary credentials of the bucket.'),
  CAIRN_REDIS_URL: secret(/^rediss?:\/\/[^\s]{1,2000}$/, 'a URL such as rediss://:password@redis.example:6379')
    .optional()
    .describe('Redis that holds shared limits and filters; needs CAIRN_DATABASE_URL.'),
  CAIRN_ACCOUNTS_OUTAGE_SECONDS: integer(1, 86_400, 'a number of seconds')
    .default(300)
    .describe('Seconds for which known API keys are accepted while PostgreSQL is away.'),
  CAIRN_SECRETS_KEY: secret(secretsKeyPattern, '32 bytes in base64 or hexadecimal; older keys after commas')
    .optional()
    .describe('Key that encrypts second factors, then older keys that still decrypt them. Default: the key file.'),
  CAIRN_SECRETS_KEY_FILE: path()
    .optional()
    .describe('File of the key that encrypts second factors. Default: secrets.key in CAIRN_HOME.'),
  TLS_CERT: path().optional().describe('PEM file of the certificate chain: HTTPS and WSS on the same ports.'),
  TLS_KEY: path().optional().describe('PEM file of the private key of TLS_CERT.'),
  LOG_LEVEL: oneOf(logLevels).default('info').describe('Least severe log line to write.'),
} satisfies SettingsShape;

export type CommonSettings = SettingsValues<typeof commonSettings> & {
  /** Contents of TLS_CERT and TLS_KEY, where set. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
};

/** Settings that some programs have in common. Each program lists those that it reads in its own `settings.ts`. */
export const sharedSettings = {
  STORAGE_API_PORT: port().default(5001).describe('Port of the storage API; 0 takes a free one.'),
  RPC_GATEWAY_PORT: port().default(8545).describe('Port of the JSON-RPC gateway; 0 takes a free one.'),
  IPFS_GATEWAY_PORT: port().default(8081).describe('Port of the IPFS gateway; 0 takes a free one.'),
  CONSOLE_PORT: port().default(8080).describe('Port of the console; 0 takes a free one.'),
  CAIRN_PROCESSES: integer(1, 64, 'a number of processes')
    .optional()
    .describe('Processes that share the port of a service. Default: one for each core, at most 8.'),
  IPFS_NS_MAP: text(/^[^:/,]+:\/ip[fn]s\/[^,]+(,[^:/,]+:\/ip[fn]s\/[^,]+)*$/, 'domain:/ipfs/<cid>, separated by commas')
    .optional()
    .describe('DNSLink names that need no DNS: domain:/ipfs/<cid> or domain:/ipns/<name>, separated by commas.'),
  CAIRN_NETWORKS: existingFile()
    .optional()
    .describe('JSON file of the networks that the gateway serves. Default: the sample network.'),
  CAIRN_DENYLISTS: existingFile()
    .optional()
    .describe('Denylist, or directory of denylists *.deny, of content to refuse. Default: denylists in CAIRN_HOME.'),
  CAIRN_BLOCK_CACHE_BYTES: integer(0, 64 * TiB, 'a number of bytes')
    .default(TiB / 1024)
    .describe('Bytes of the local cache of blocks of CAIRN_OBJECT_STORE, in cache/ of CAIRN_HOME; 0: no cache.'),
  CAIRN_CALL_ENGINE: oneOf(['compiled', 'interpreter', 'ethereumjs'])
    .default('compiled')
    .describe('Engine of calls and blocks: hot code as WebAssembly, an interpreter, or the reference @ethereumjs.'),
  CAIRN_UPLOAD_BYTES_MAX: integer(1, 64 * TiB, 'a number of bytes')
    .default(TiB)
    .describe('Longest content of one add, in bytes.'),
  IPFS_PEER_URL: url()
    .optional()
    .describe('Address of the internal API of the IPFS peer, such as http://127.0.0.1:5011. Default: no peer.'),
  STORAGE_QUOTA_BYTES: integer(0, 1024 * TiB, 'a number of bytes')
    .optional()
    .describe('Quota of an account that has none of its own, in bytes. Default: no limit.'),
  STORAGE_WEBHOOK_PRIVATE: oneOf(['no', 'yes'])
    .default('no')
    .describe('Webhooks to private addresses and without TLS, for networks of your own.'),
} satisfies SettingsShape;

/** The address that an internal API listens on. */
export const internalBind = () => bindAddress();

/** The port for metrics and health of one service. */
export const adminPort = (service: string) =>
  port().optional().describe(`Port of the ${service} for /metrics, /livez and /readyz. Default: none.`);

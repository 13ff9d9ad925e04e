import { z } from 'zod';

const integer = (min: number, max: number, what: string) =>
  z.coerce
    .string()
    .regex(/^\d{1,15}$/, `expected ${what} from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `expected ${what} from ${min} to ${max}`);
const text = (pattern: RegExp, expected: string) =>
  z.string({ error: `expected ${expected}` }).regex(pattern, `expected ${expected}`);
const url = text(/^https?:\/\/[^\s/]+(\/[^\s]*)?$/, 'an address such as https://storage.example');
const secretsKeyPattern = /^([A-Za-z0-9+/_-]{43}=?|[0-9a-fA-F]{64})(,([A-Za-z0-9+/_-]{43}=?|[0-9a-fA-F]{64})){0,7}$/;
const path = text(/^[^\0]{1,4096}$/, 'a path');
const origins = text(
  /^(\*|https?:\/\/[^\s,/]+(,https?:\/\/[^\s,/]+)*)$/,
  '* or origins such as https://app.example, without a path and separated by commas',
);
const adminPort = (service: string) =>
  integer(0, 65_535, 'a port')
    .optional()
    .describe(`Port of the ${service} for /metrics, /livez and /readyz. Default: none.`);
const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

const cidProfiles = ['unixfs-v0-2015', 'unixfs-v1-2025', 'legacy-cid-v0', 'test-cid-v1', 'test-cid-v1-wide'] as const;

const MiB = 1024 * 1024;
const TiB = 1024 * 1024 * MiB;

/** Every setting: what it takes and what it is without being set. The names are those of the environment and of the file. */
export const settingsShape = {
  STORAGE_API_PORT: integer(0, 65_535, 'a port').default(5001).describe('Port of the storage API; 0 takes a free one.'),
  RPC_GATEWAY_PORT: integer(0, 65_535, 'a port')
    .default(8545)
    .describe('Port of the JSON-RPC gateway; 0 takes a free one.'),
  CONSOLE_PORT: integer(0, 65_535, 'a port').default(8080).describe('Port of the console; 0 takes a free one.'),
  STORAGE_API_ADMIN_PORT: adminPort('storage API'),
  RPC_GATEWAY_ADMIN_PORT: adminPort('gateway'),
  CONSOLE_ADMIN_PORT: adminPort('console'),
  CAIRN_ADMIN_BIND: text(
    /^[0-9A-Za-z.:_-]{1,255}$/,
    'an address or host name to listen on, such as 127.0.0.1 or 0.0.0.0',
  )
    .default('127.0.0.1')
    .describe('Address that the admin ports listen on.'),
  CAIRN_STORAGE_URL: url.optional().describe('Where the console reaches the storage API. Default: on this machine.'),
  CAIRN_GATEWAY_URL: url.optional().describe('Where the console reaches the gateway. Default: on this machine.'),
  CAIRN_PUBLIC_STORAGE_URL: url.optional().describe('Address of the storage API that customers are shown.'),
  CAIRN_PUBLIC_GATEWAY_URL: url.optional().describe('Address of the gateway that customers are shown.'),
  CAIRN_PUBLIC_CONSOLE_URL: url
    .optional()
    .describe('Address of the console in browsers; with https its cookie is for TLS only. Default: as browsers ask.'),
  CAIRN_HOSTS: text(/^[A-Za-z0-9.-]+(,[A-Za-z0-9.-]+)*$/, 'host names such as cairn.example,metrics.example')
    .optional()
    .describe('Host names that the console and the admin ports answer to, beside addresses and names without a dot.'),
  CAIRN_SIGN_UP: z
    .enum(['open', 'closed'], { error: 'expected open or closed' })
    .default('open')
    .describe('Whether people may make accounts of their own in the console.'),
  CAIRN_SIGN_UP_PLAN: text(/^[a-z][a-z0-9-]{0,31}$/, 'the name of a plan')
    .default('free')
    .describe('Plan of accounts that people make.'),
  CAIRN_STRIPE_SECRET_KEY: text(/^(sk|rk)_[A-Za-z0-9_]{8,256}$/, 'a secret key of Stripe, sk_…')
    .optional()
    .describe('Cards are taken by Stripe. Default: the operator attaches them.'),
  CAIRN_STRIPE_WEBHOOK_SECRET: text(/^whsec_[A-Za-z0-9+/=_-]{8,256}$/, 'a signing secret of Stripe, whsec_…')
    .optional()
    .describe('Signing secret of the webhook endpoint /api/billing/webhook.'),
  CAIRN_STRIPE_API_URL: url.optional().describe('Where the API of Stripe is. Default: theirs.'),
  CAIRN_BIND: text(/^[0-9A-Za-z.:_-]{1,255}$/, 'an address or host name to listen on, such as 127.0.0.1 or 0.0.0.0')
    .default('127.0.0.1')
    .describe('Address that both services listen on.'),
  CAIRN_HOME: path.default('.cairn').describe('Directory of the embedded stores.'),
  CAIRN_SECRETS_KEY: text(secretsKeyPattern, '32 bytes in base64 or hexadecimal; older keys after commas')
    .optional()
    .describe('Key that second factors are sealed with, and older keys that still open them. Default: the key file.'),
  CAIRN_SECRETS_KEY_FILE: path
    .optional()
    .describe('File with the key that second factors are sealed with. Default: secrets.key in CAIRN_HOME.'),
  CAIRN_NETWORKS: path
    .optional()
    .describe('JSON file of the networks that the gateway serves. Default: the sample network.'),
  CAIRN_DEMO_KEY: text(/^[A-Za-z0-9_-]{1,128}$/, '1 to 128 letters, digits, _ or -')
    .optional()
    .describe('Fixed API key of the demo account, for scripts.'),
  CAIRN_DEMO_SECRET: text(/^[\x21-\x7e]{1,256}$/, '1 to 256 printable ASCII characters without spaces')
    .optional()
    .describe('Fixed API key secret of the demo account.'),
  TLS_CERT: path.optional().describe('PEM file of the certificate chain: HTTPS and WSS on the same ports.'),
  TLS_KEY: path.optional().describe('PEM file of the private key of TLS_CERT.'),
  LOG_LEVEL: z
    .enum(levels, { error: `expected one of ${levels.join(', ')}` })
    .default('info')
    .describe('Least severe log line to write.'),
  CAIRN_UPLOAD_BYTES_MAX: integer(1, 64 * TiB, 'a number of bytes')
    .default(TiB)
    .describe('Longest content of one add, in bytes.'),
  CAIRN_UPLOADS_MAX: integer(1, 10_000, 'a number')
    .default(64)
    .describe('Adds that run at once; more are told to come back.'),
  STORAGE_QUOTA_BYTES: integer(0, 1024 * TiB, 'a number of bytes')
    .optional()
    .describe('What an account may hold, in bytes, unless it has a quota of its own. Default: no limit.'),
  STORAGE_BYTES_MAX: integer(MiB, 1024 * TiB, 'a number of bytes')
    .optional()
    .describe('Sum of the lengths of all blocks, in bytes, beyond which adds are refused (507). Default: no limit.'),
  STORAGE_DISK_RESERVE_BYTES: integer(0, 1024 * TiB, 'a number of bytes')
    .default(256 * MiB)
    .describe('Bytes of the disk that adds leave free (507).'),
  STORAGE_GC_WATERMARK_PERCENT: integer(1, 100, 'a percentage')
    .default(90)
    .describe('Garbage is collected when the store holds this much of what it may.'),
  STORAGE_GC_INTERVAL_SECONDS: integer(0, 31_536_000, 'seconds')
    .default(3600)
    .describe('Garbage is collected this often; 0 leaves it to the watermark and to repo/gc.'),
  STORAGE_GC_GRACE_SECONDS: integer(0, 31_536_000, 'seconds')
    .default(3600)
    .describe('Blocks without a pin stay this long after they were last written.'),
  STORAGE_SCRUB_BYTES_PER_SECOND: integer(0, 1024 * 1024 * MiB, 'a number of bytes')
    .default(4 * MiB)
    .describe('Rate of the walk that checks every block against its name; 0 turns it off.'),
  STORAGE_BLOCK_WAIT_SECONDS: integer(0, 3600, 'seconds')
    .default(1)
    .describe('How long a read waits for a block that is not here, where the request has no timeout of its own.'),
  STORAGE_CID_PROFILE: z
    .enum(cidProfiles, { error: `expected one of ${cidProfiles.join(', ')}` })
    .optional()
    .describe('CID profile (IPIP-499) of adds that choose none. Default: that of Kubo.'),
  STORAGE_SHARD_BYTES: integer(0, 64 * MiB, 'a number of bytes')
    .optional()
    .describe('Size of a directory above which it is sharded; 0 never shards. Default: that of the profile.'),
  STORAGE_SHARD_ESTIMATION: z
    .enum(['links', 'block', 'disabled'], { error: 'expected links, block or disabled' })
    .optional()
    .describe('How the size of a directory is estimated: Import.UnixFSHAMTDirectorySizeEstimation of Kubo.'),
  CAIRN_CALL_TIMEOUT_MS: integer(1, 600_000, 'milliseconds')
    .default(5000)
    .describe('Wall-clock limit of one eth_call.'),
  CAIRN_CALL_WORKERS: integer(1, 256, 'a number').default(2).describe('Worker threads that execute eth_call.'),
  CAIRN_CALL_QUEUE_MAX: integer(0, 1_000_000, 'a number').default(1000).describe('Calls that may wait for a worker.'),
  CAIRN_RPC_BODY_BYTES_MAX: integer(1024, 100 * MiB, 'a number of bytes')
    .default(5 * MiB)
    .describe('Longest JSON-RPC request or WebSocket message.'),
  CAIRN_CALL_ENGINE: z
    .enum(['compiled', 'interpreter', 'ethereumjs'], { error: 'expected compiled, interpreter or ethereumjs' })
    .default('compiled')
    .describe('What runs calls and blocks: hot code as WebAssembly, an interpreter, or the reference @ethereumjs.'),
  CAIRN_CORS_ORIGINS: origins
    .optional()
    .describe('Web pages that may call the JSON-RPC gateway from a browser. Default: none.'),
  CAIRN_STORAGE_CORS_ORIGINS: origins
    .optional()
    .describe('Web pages that may call the storage API from a browser. Default: none.'),
} as const;

export const settingsSchema = z.object(settingsShape);
export type SettingName = keyof typeof settingsShape;
export type SettingValues = z.infer<typeof settingsSchema>;

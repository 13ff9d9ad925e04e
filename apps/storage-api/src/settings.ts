import { adminPort, type Settings, type SettingsShape, setting, sharedSettings } from '@cairn/service-kit';

const { integer, oneOf, origins, text } = setting;
const MiB = 1024 * 1024;
const TiB = 1024 * 1024 * MiB;

/** Settings that the storage API reads beside those of every program. */
export const settingsShape = {
  STORAGE_API_PORT: sharedSettings.STORAGE_API_PORT,
  STORAGE_API_ADMIN_PORT: adminPort('storage API'),
  CAIRN_PROCESSES: sharedSettings.CAIRN_PROCESSES,
  CAIRN_STORAGE_CORS_ORIGINS: origins()
    .optional()
    .describe('Web pages that may call the storage API from a browser. Default: none.'),
  CAIRN_UPLOAD_BYTES_MAX: sharedSettings.CAIRN_UPLOAD_BYTES_MAX,
  CAIRN_UPLOADS_MAX: integer(1, 10_000, 'a number').default(64).describe('Concurrent adds; further ones get 429.'),
  IPFS_PEER_URL: sharedSettings.IPFS_PEER_URL,
  STORAGE_QUOTA_BYTES: sharedSettings.STORAGE_QUOTA_BYTES,
  STORAGE_BYTES_MAX: integer(MiB, 1024 * TiB, 'a number of bytes')
    .optional()
    .describe('Bytes of all blocks. An add that would exceed it gets 507. Default: no limit.'),
  STORAGE_DISK_RESERVE_BYTES: integer(0, 1024 * TiB, 'a number of bytes')
    .default(256 * MiB)
    .describe('Free bytes of the disk that adds may not use. An add that would use them gets 507.'),
  STORAGE_GC_WATERMARK_PERCENT: integer(1, 100, 'a percentage')
    .default(90)
    .describe('Share of the limit of bytes at which garbage is collected.'),
  STORAGE_GC_INTERVAL_SECONDS: integer(0, 31_536_000, 'seconds')
    .default(3600)
    .describe('Seconds between garbage collections; 0 collects at the watermark and at repo/gc only.'),
  STORAGE_GC_GRACE_SECONDS: integer(0, 31_536_000, 'seconds')
    .default(3600)
    .describe('Seconds that a block without a pin stays after it was last written.'),
  STORAGE_SCRUB_BYTES_PER_SECOND: integer(0, 1024 * 1024 * MiB, 'a number of bytes')
    .default(4 * MiB)
    .describe('Rate at which every block is verified against its CID; 0 disables it.'),
  STORAGE_BLOCK_WAIT_SECONDS: integer(0, 3600, 'seconds')
    .optional()
    .describe(
      'Seconds that a read without a timeout waits for a missing block. Default: 30 with an IPFS peer, else 1.',
    ),
  STORAGE_PIN_EXPIRY_SECONDS: integer(1, 31_536_000, 'seconds')
    .default(86_400)
    .describe('Seconds after which a pin request fails whose content was not found.'),
  STORAGE_PIN_DELEGATES: text(
    /^\/[^\s,]{1,1000}(,\/[^\s,]{1,1000}){0,19}$/,
    '1 to 20 multiaddrs such as /dns4/node.example/tcp/4001/p2p/12D3…, separated by commas',
  )
    .optional()
    .describe('Multiaddrs that clients of /psa/pins send content to. Default: the peer ID of the service.'),
  STORAGE_WEBHOOK_PRIVATE: sharedSettings.STORAGE_WEBHOOK_PRIVATE,
  IPFS_NS_MAP: sharedSettings.IPFS_NS_MAP,
  CAIRN_DENYLISTS: sharedSettings.CAIRN_DENYLISTS,
  CAIRN_BLOCK_CACHE_BYTES: sharedSettings.CAIRN_BLOCK_CACHE_BYTES,
  STORAGE_CID_PROFILE: oneOf(['unixfs-v0-2015', 'unixfs-v1-2025', 'legacy-cid-v0', 'test-cid-v1', 'test-cid-v1-wide'])
    .optional()
    .describe('CID profile (IPIP-499) of adds that choose none. Default: that of Kubo.'),
  STORAGE_SHARD_BYTES: integer(0, 64 * MiB, 'a number of bytes')
    .optional()
    .describe('Size of a directory above which it is sharded; 0 never shards. Default: that of the profile.'),
  STORAGE_SHARD_ESTIMATION: oneOf(['links', 'block', 'disabled'])
    .optional()
    .describe('Estimate of the size of a directory: Import.UnixFSHAMTDirectorySizeEstimation of Kubo.'),
} satisfies SettingsShape;

/** Settings of the storage API, checked. */
export type StorageSettings = Settings<typeof settingsShape>;

/** Milliseconds that a read waits for a missing block: long enough for a search of providers, if there is an IPFS peer. */
export function blockWaitMs({
  STORAGE_BLOCK_WAIT_SECONDS: seconds,
  IPFS_PEER_URL: peer,
}: Pick<StorageSettings, 'STORAGE_BLOCK_WAIT_SECONDS' | 'IPFS_PEER_URL'>): number {
  return 1000 * (seconds ?? (peer === undefined ? 1 : 30));
}

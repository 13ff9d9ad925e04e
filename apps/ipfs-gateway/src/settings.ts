import { adminPort, type Settings, type SettingsShape, setting, sharedSettings } from '@cairn/service-kit';

const { integer, oneOf, text } = setting;
const GiB = 1024 ** 3;

/** Settings that the IPFS gateway reads beside those of every program. */
export const settingsShape = {
  IPFS_GATEWAY_PORT: sharedSettings.IPFS_GATEWAY_PORT,
  IPFS_GATEWAY_ADMIN_PORT: adminPort('IPFS gateway'),
  CAIRN_PROCESSES: sharedSettings.CAIRN_PROCESSES,
  IPFS_GATEWAY_ACCESS: oneOf(['accounts', 'public'])
    .default('accounts')
    .describe('Readers of content: accounts with their key, or everybody.'),
  IPFS_GATEWAY_HOSTS: text(/^[A-Za-z0-9.-]+(,[A-Za-z0-9.-]+)*$/, 'host names such as localhost,dweb.example')
    .default('localhost')
    .describe('Host names under which CIDs and names are subdomains.'),
  IPFS_GATEWAY_TRUSTED_PROXIES: text(
    /^[0-9a-fA-F:.]{2,45}(\/\d{1,3})?(,[0-9a-fA-F:.]{2,45}(\/\d{1,3})?)*$/,
    'addresses and ranges such as 10.0.0.0/8,::1',
  )
    .optional()
    .describe('Proxies whose X-Forwarded-For, -Host and -Proto count: addresses and ranges. Default: none.'),
  IPFS_GATEWAY_ADDRESS_REQUESTS_PER_SECOND: integer(0, 1_000_000, 'a number')
    .default(100)
    .describe('Requests without a key per second and client address; 0 sets no limit.'),
  IPFS_GATEWAY_ADDRESS_BYTES_PER_SECOND: integer(0, 1024 * GiB, 'a number of bytes')
    .default(0)
    .describe('Bytes per second and client address for requests without a key; 0 sets no limit.'),
  IPFS_GATEWAY_ADDRESS_CONCURRENT_MAX: integer(0, 1_000_000, 'a number')
    .default(64)
    .describe('Concurrent requests without a key per client address; 0 sets no limit.'),
  IPFS_GATEWAY_PUBLIC_CONCURRENT_MAX: integer(0, 1_000_000, 'a number')
    .default(4096)
    .describe('Concurrent requests without a key of all clients; 0 sets no limit.'),
  IPFS_GATEWAY_FETCH: oneOf(['accounts', 'all', 'no'])
    .default('accounts')
    .describe('Requests that fetch missing content through IPFS_PEER_URL: those that an account pays, all, or none.'),
  IPFS_GATEWAY_FETCH_SECONDS: integer(1, 3600, 'seconds')
    .default(30)
    .describe('Time that a request waits for the IPFS network before its response, and for each further block.'),
  IPFS_NS_MAP: sharedSettings.IPFS_NS_MAP,
  CAIRN_DENYLISTS: sharedSettings.CAIRN_DENYLISTS,
  CAIRN_BLOCK_CACHE_BYTES: sharedSettings.CAIRN_BLOCK_CACHE_BYTES,
  IPFS_PEER_URL: sharedSettings.IPFS_PEER_URL,
} satisfies SettingsShape;

/** Settings of the IPFS gateway, checked. */
export type IpfsGatewaySettings = Settings<typeof settingsShape>;

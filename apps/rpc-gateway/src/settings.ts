import { adminPort, type Settings, type SettingsShape, setting, sharedSettings } from '@cairn/service-kit';

const { integer, origins } = setting;
const MiB = 1024 * 1024;

/** Settings that the gateway reads beside those of every program. */
export const settingsShape = {
  RPC_GATEWAY_PORT: sharedSettings.RPC_GATEWAY_PORT,
  RPC_GATEWAY_ADMIN_PORT: adminPort('gateway'),
  CAIRN_PROCESSES: sharedSettings.CAIRN_PROCESSES,
  CAIRN_NETWORKS: sharedSettings.CAIRN_NETWORKS,
  CAIRN_CORS_ORIGINS: origins()
    .optional()
    .describe('Web pages that may call the JSON-RPC gateway from a browser. Default: none.'),
  CAIRN_RPC_BODY_BYTES_MAX: integer(1024, 100 * MiB, 'a number of bytes')
    .default(5 * MiB)
    .describe('Longest JSON-RPC request or WebSocket message, in bytes.'),
  CAIRN_RPC_HEAD_WAIT_MS: integer(0, 60_000, 'milliseconds')
    .default(2000)
    .describe('Time that a request waits for the block in its header Cairn-Latest-Block, in milliseconds.'),
  CAIRN_READY_LAG_BLOCKS_MAX: integer(0, 1_000_000_000, 'a number of blocks')
    .optional()
    .describe('Blocks that a source may be ahead before /readyz reports 503. Default: no limit.'),
  CAIRN_UPSTREAM_CACHE_BYTES_MAX: integer(16 * MiB, 1024 * 1024 * MiB, 'a number of bytes')
    .default(1024 * MiB)
    .describe('Verified content that is kept on disk for each network with upstreams, in bytes.'),
  CAIRN_CALL_ENGINE: sharedSettings.CAIRN_CALL_ENGINE,
  CAIRN_CALL_TIMEOUT_MS: integer(1, 600_000, 'milliseconds')
    .default(5000)
    .describe('Wall-clock limit of one eth_call, in milliseconds.'),
  CAIRN_CALL_WORKERS: integer(1, 256, 'a number').default(2).describe('Worker threads that execute eth_call.'),
  CAIRN_CALL_QUEUE_MAX: integer(0, 1_000_000, 'a number')
    .default(1000)
    .describe('Calls that may wait for a worker thread.'),
} satisfies SettingsShape;

/** Settings of the gateway, checked. */
export type GatewaySettings = Settings<typeof settingsShape>;

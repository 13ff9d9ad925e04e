import { loadSettings, type Settings, type SettingsShape, setting, sharedSettings } from '@cairn/service-kit';

/** Settings that the admin command reads beside those of every program. */
export const settingsShape = {
  STORAGE_API_PORT: sharedSettings.STORAGE_API_PORT,
  RPC_GATEWAY_PORT: sharedSettings.RPC_GATEWAY_PORT,
  IPFS_GATEWAY_PORT: sharedSettings.IPFS_GATEWAY_PORT,
  CONSOLE_PORT: sharedSettings.CONSOLE_PORT,
  CAIRN_IPFS_PEER: setting
    .oneOf(['on', 'off'])
    .default('on')
    .describe('Whether `cairn up` starts an IPFS peer. It connects to the IPFS network and serves what is pinned.'),
  IPFS_PEER_URL: sharedSettings.IPFS_PEER_URL,
  IPFS_PEER_API_PORT: setting
    .port()
    .default(5011)
    .describe('Port of the internal API of the IPFS peer; 0 takes a free one.'),
  IPFS_PEER_API_BIND: setting
    .text(/^[0-9A-Za-z.:_-]{1,255}$/, 'an address such as 127.0.0.1')
    .default('127.0.0.1')
    .describe('Address of the internal API of the IPFS peer.'),
  CAIRN_NETWORKS: sharedSettings.CAIRN_NETWORKS,
  CAIRN_CALL_ENGINE: sharedSettings.CAIRN_CALL_ENGINE,
  STORAGE_QUOTA_BYTES: sharedSettings.STORAGE_QUOTA_BYTES,
  STORAGE_WEBHOOK_PRIVATE: sharedSettings.STORAGE_WEBHOOK_PRIVATE,
  // Checked as strictly as a secret: when the two are swapped, this value is the secret.
  CAIRN_DEMO_KEY: setting
    .secret(/^[A-Za-z0-9_-]{1,128}$/, '1 to 128 letters, digits, _ or -')
    .optional()
    .describe('Fixed API key of the demo account, for scripts.'),
  CAIRN_DEMO_SECRET: setting
    .secret(/^[\x21-\x7e]{1,256}$/, '1 to 256 printable ASCII characters without spaces')
    .optional()
    .describe('Fixed API key secret of the demo account.'),
} satisfies SettingsShape;

/** Settings of the admin command, checked. */
export type CommandSettings = Settings<typeof settingsShape>;

export const loadCommandSettings = (): CommandSettings => loadSettings(settingsShape);

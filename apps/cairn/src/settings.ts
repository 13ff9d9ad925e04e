import { loadSettings, type Settings, type SettingsShape, setting, sharedSettings } from '@cairn/service-kit';

/** Settings that the admin command reads beside those of every program. */
export const settingsShape = {
  STORAGE_API_PORT: sharedSettings.STORAGE_API_PORT,
  RPC_GATEWAY_PORT: sharedSettings.RPC_GATEWAY_PORT,
  IPFS_GATEWAY_PORT: sharedSettings.IPFS_GATEWAY_PORT,
  CONSOLE_PORT: sharedSettings.CONSOLE_PORT,
  CAIRN_NETWORKS: sharedSettings.CAIRN_NETWORKS,
  CAIRN_CALL_ENGINE: sharedSettings.CAIRN_CALL_ENGINE,
  STORAGE_QUOTA_BYTES: sharedSettings.STORAGE_QUOTA_BYTES,
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

import { adminPort, type Settings, type SettingsShape, setting, sharedSettings } from '@cairn/service-kit';

const { oneOf, text } = setting;

/** Settings that the IPFS gateway reads beside those of every program. */
export const settingsShape = {
  IPFS_GATEWAY_PORT: sharedSettings.IPFS_GATEWAY_PORT,
  IPFS_GATEWAY_ADMIN_PORT: adminPort('IPFS gateway'),
  IPFS_GATEWAY_ACCESS: oneOf(['accounts', 'public'])
    .default('accounts')
    .describe('Readers of content: accounts with their key, or everybody.'),
  IPFS_GATEWAY_HOSTS: text(/^[A-Za-z0-9.-]+(,[A-Za-z0-9.-]+)*$/, 'host names such as localhost,dweb.example')
    .default('localhost')
    .describe('Host names under which CIDs and names are subdomains.'),
  IPFS_NS_MAP: sharedSettings.IPFS_NS_MAP,
  CAIRN_DENYLISTS: sharedSettings.CAIRN_DENYLISTS,
  IPFS_PEER_URL: sharedSettings.IPFS_PEER_URL,
} satisfies SettingsShape;

/** Settings of the IPFS gateway, checked. */
export type IpfsGatewaySettings = Settings<typeof settingsShape>;

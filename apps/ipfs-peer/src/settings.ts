import {
  adminPort,
  internalBind,
  type Settings,
  type SettingsShape,
  setting,
  sharedSettings,
} from '@cairn/service-kit';

const { existingFile, integer, oneOf, port, text } = setting;

const address = /\/[^\s,]{1,1000}/.source;
const addresses = new RegExp(`^${address}(,${address}){0,63}$`);
const orNone = new RegExp(`^(none|${address}(,${address}){0,63})$`);
const bootstrapPattern = new RegExp(`^(none|public|${address}(,${address}){0,63})$`);
const gatewayUrl = /https?:\/\/[^\s,@/]{1,253}(\/[^\s,?#]{0,253})?/.source;
const gatewaysPattern = new RegExp(`^${gatewayUrl}(,${gatewayUrl}){0,15}$`);
const url = /https?:\/\/[^\s,]{1,1000}/.source;
const urls = new RegExp(`^${url}(,${url}){0,7}$`);
const listExample = 'multiaddrs such as /ip4/203.0.113.5/tcp/4001, separated by commas';

/** Settings that the IPFS peer reads beside those of every program. */
export const settingsShape = {
  IPFS_PEER_API_PORT: port().default(5011).describe('Port of the internal API of the IPFS peer; 0 takes a free one.'),
  IPFS_PEER_API_BIND: internalBind().describe('Address that the internal API listens on. It has no TLS.'),
  IPFS_PEER_ADMIN_PORT: adminPort('IPFS peer'),
  IPFS_PEER_LISTEN: text(orNone, `none or ${listExample}`)
    .default('/ip4/0.0.0.0/tcp/4001,/ip4/0.0.0.0/tcp/4002/ws')
    .describe('Multiaddrs that accept connections of other peers, or none.'),
  IPFS_PEER_ANNOUNCE: text(addresses, listExample)
    .optional()
    .describe('Multiaddrs to announce. Default: those of IPFS_PEER_LISTEN on the interfaces of this machine.'),
  IPFS_PEER_BOOTSTRAP: text(bootstrapPattern, `public, none or ${listExample}`)
    .default('public')
    .describe('Peers that are dialled at the start: multiaddrs, public (those of Kubo), or none.'),
  IPFS_PEER_PEERING: text(addresses, listExample)
    .optional()
    .describe('Peers whose connections are kept open. Default: none.'),
  IPFS_PEER_ROUTING: oneOf(['auto', 'dhtclient', 'dhtserver', 'none'])
    .default('auto')
    .describe('Role in the DHT. auto: a server while this node has a public address.'),
  IPFS_PEER_SWARM_KEY_FILE: existingFile()
    .optional()
    .describe('swarm.key file, as of Kubo, of a private network. Default: the public network.'),
  IPFS_PEER_ALLOW_PRIVATE: oneOf(['no', 'yes'])
    .default('no')
    .describe('Dialling of private addresses that peers announce, for networks of your own.'),
  IPFS_PEER_CONNECTIONS_MAX: integer(8, 10_000, 'a number').default(300).describe('Open connections to peers.'),
  IPFS_PEER_CONNECTIONS_MIN: integer(1, 10_000, 'a number up to IPFS_PEER_CONNECTIONS_MAX')
    .optional()
    .describe('Connections that stay when the maximum is reached. Default: three quarters of it.'),
  IPFS_PEER_STREAMS_PER_PEER_MAX: integer(8, 120, 'a number')
    .optional()
    .describe('Open bitswap streams of one peer. Below 65, blocks of fast peers are requested again. Default: 96.'),
  IPFS_PEER_HTTP_GATEWAYS: text(gatewaysPattern, '1 to 16 URLs such as https://gateway.example, separated by commas')
    .optional()
    .describe('Trustless HTTP gateways that blocks are fetched from beside bitswap. Default: none.'),
  IPFS_PEER_SEND_BYTES_PER_SECOND: integer(65_536, 2 ** 40, 'a number of bytes')
    .optional()
    .describe('Bytes of blocks that are sent to all peers per second. Default: no limit.'),
  IPFS_PEER_RECEIVE_BYTES_PER_SECOND: integer(65_536, 2 ** 40, 'a number of bytes')
    .optional()
    .describe('Bytes that are received by bitswap from all peers per second. Default: no limit.'),
  IPFS_PEER_SERVE: oneOf(['pinned', 'accounts', 'nothing'])
    .default('pinned')
    .describe('Blocks that other peers get: all pinned ones, those of accounts that allow it, or none.'),
  IPFS_PEER_PROVIDE: oneOf(['roots', 'all', 'none'])
    .default('roots')
    .describe('Content that is announced, of what other peers get: roots of pins, all blocks, or none.'),
  IPFS_PEER_PROVIDE_INTERVAL_SECONDS: integer(60, 115_200, 'seconds')
    .default(79_200)
    .describe('Time after which content is announced again. Records of the DHT expire after 172800 seconds.'),
  IPFS_PEER_PROVIDE_VIA: text(/^(dht|https?:\/\/[^\s,]{1,1000})$/, 'dht or a URL')
    .default('dht')
    .describe(
      'Announcements by the DHT, a delegated router, or the RPC of your own Kubo: a URL that ends with /api/v0.',
    ),
  CAIRN_DENYLISTS: sharedSettings.CAIRN_DENYLISTS,
  CAIRN_BLOCK_CACHE_BYTES: sharedSettings.CAIRN_BLOCK_CACHE_BYTES,
  IPFS_PEER_DELEGATED_ROUTERS: text(urls, 'URLs such as https://router.example, separated by commas')
    .optional()
    .describe('Delegated routers that are asked for providers, beside the DHT. Default: none.'),
} satisfies SettingsShape;

/** Settings of the IPFS peer, checked. */
export type IpfsPeerSettings = Settings<typeof settingsShape>;

/** Public bootstrap nodes, as in Kubo. */
const publicBootstrap = [
  '/dnsaddr/bootstrap.libp2p.io/p2p/QmNnooDu7bfjPFoTZYxMNLWUQJyrVwtbZg5gBMjTezGAJN',
  '/dnsaddr/bootstrap.libp2p.io/p2p/QmQCU2EcMqAqQPR2i9bChDtGNJchTbq5TbXJJ16u19uLTa',
  '/dnsaddr/bootstrap.libp2p.io/p2p/QmbLHAnMoJPWSCR5Zhtx6BHJX9KiKNN6tpvbUcqanj75Nb',
  '/dnsaddr/bootstrap.libp2p.io/p2p/QmcZf59bWwK5XFi76CZX8cbJ4BhTzzA3gU1ZjYZcYW3dwt',
  '/ip4/104.131.131.82/tcp/4001/p2p/QmaCpDMGvV2BGHeYERUEnRQAwe3N8SzbUfsmvsqLQLuvuJ',
];

/** Returns the peers that are dialled at the start. The public ones are no members of a private network. */
export function bootstrapList(settings: IpfsPeerSettings): readonly string[] {
  if (settings.IPFS_PEER_BOOTSTRAP !== 'public') return addressList(settings.IPFS_PEER_BOOTSTRAP);
  return settings.IPFS_PEER_SWARM_KEY_FILE === undefined ? publicBootstrap : [];
}

/** Splits a list of multiaddrs or URLs. */
export function addressList(value: string | undefined): string[] {
  return value === undefined || value === 'none' ? [] : value.split(',');
}

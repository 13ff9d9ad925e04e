import type { ConsoleSettings } from './settings.ts';

/** Addresses of the services: for this console, and as shown to customers. */
export interface Addresses {
  readonly storage: string;
  readonly gateway: string;
  readonly ipfsGateway: string;
  /** Reports whether the settings name the IPFS gateway. Otherwise there may be none. */
  readonly namesIpfsGateway: boolean;
  /** Internal API of the IPFS peer. Undefined without a peer. */
  readonly ipfsPeer: string | undefined;
  readonly publicStorage: string;
  readonly publicGateway: string;
  readonly publicIpfsGateway: string;
}

/** Addresses from the settings. Default: the services of this machine. */
export function addressesOf(settings: ConsoleSettings): Addresses {
  const { tls, CAIRN_BIND: bind, STORAGE_API_PORT, RPC_GATEWAY_PORT, IPFS_GATEWAY_PORT } = settings;
  // A service that listens on all addresses also answers on loopback.
  const host = ['0.0.0.0', '::'].includes(bind) ? '127.0.0.1' : bind.includes(':') ? `[${bind}]` : bind;
  const local = (port: number) => `${tls ? 'https' : 'http'}://${host}:${port}`;
  const storage = trimmed(settings.CAIRN_STORAGE_URL ?? local(STORAGE_API_PORT));
  const gateway = trimmed(settings.CAIRN_GATEWAY_URL ?? local(RPC_GATEWAY_PORT));
  const ipfsGateway = trimmed(settings.CAIRN_IPFS_GATEWAY_URL ?? local(IPFS_GATEWAY_PORT));
  return {
    storage,
    gateway,
    ipfsGateway,
    namesIpfsGateway: settings.CAIRN_IPFS_GATEWAY_URL !== undefined,
    ipfsPeer: settings.IPFS_PEER_URL && trimmed(settings.IPFS_PEER_URL),
    publicStorage: trimmed(settings.CAIRN_PUBLIC_STORAGE_URL ?? storage),
    publicGateway: trimmed(settings.CAIRN_PUBLIC_GATEWAY_URL ?? gateway),
    publicIpfsGateway: trimmed(settings.CAIRN_PUBLIC_IPFS_GATEWAY_URL ?? ipfsGateway),
  };
}

function trimmed(url: string): string {
  return url.replace(/\/+$/, '');
}

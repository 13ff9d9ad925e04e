import type { Me } from '../api.ts';

/** Place of the secret in an address or a snippet. */
export const secretPlace = '<SECRET>';
/** Place of the key before one is chosen. */
export const keyPlace = '<API_KEY>';

/** Address of a service for a key, as programs use it. */
export interface Endpoint {
  readonly title: string;
  readonly url: string;
  readonly hint: string;
}

/**
 * URL of a network at the gateway. The gateway selects the network by host name, so the host of the URL is one of the network.
 * @param me signed-in member with the services and networks
 */
export function networkUrl({ services, networks }: Pick<Me, 'services' | 'networks'>, name: string): string {
  const url = new URL(services.gatewayUrl);
  const network = networks.find((one) => one.name === name);
  const isFirst = network !== undefined && network === networks[0];
  const hosts = network?.hosts ?? [];
  const answersHere = hosts.includes(url.hostname) || hosts.includes('*') || (isFirst && isLoopback(url.hostname));
  const host = hosts.find((one) => one !== '*');
  if (!answersHere && host !== undefined) url.hostname = host;
  return url.href.replace(/\/+$/, '');
}

/** URL of JSON-RPC over WebSocket for the same network and key. */
function webSocketUrl(url: string, key: string): string {
  return `${url.replace(/^http/, 'ws')}/ws/v3/${key}`;
}

/** Addresses of one key for one network. None contains a secret. */
export function endpointsOf(me: Pick<Me, 'services' | 'networks'>, network: string, key: string): readonly Endpoint[] {
  const url = networkUrl(me, network);
  const { storageUrl, ipfsGatewayUrl } = me.services;
  return [
    {
      title: 'JSON-RPC over HTTP',
      url: `${url}/v3/${key}`,
      hint: `Network ${network}. The key is part of the address.`,
    },
    { title: 'JSON-RPC over WebSocket', url: webSocketUrl(url, key), hint: 'Subscriptions: newHeads, logs.' },
    { title: 'Storage', url: `${storageUrl}/api/v0`, hint: 'Kubo RPC API. User name: the key. Password: its secret.' },
    { title: 'IPFS gateway', url: `${ipfsGatewayUrl}/ipfs/<CID>`, hint: 'Share links of your files start with it.' },
  ];
}

function isLoopback(host: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(host);
}

import type { Settings } from '@cairn/service-kit';

/** Where services answer: to this console, and as customers are told. */
export interface Addresses {
  readonly storage: string;
  readonly gateway: string;
  readonly publicStorage: string;
  readonly publicGateway: string;
}

/** The services of this machine, where the settings say nothing else. */
export function addressesOf(settings: Settings): Addresses {
  const { tls, CAIRN_BIND: bind, STORAGE_API_PORT, RPC_GATEWAY_PORT } = settings;
  // Listening on all addresses includes this one, which always works from here.
  const host = ['0.0.0.0', '::'].includes(bind) ? '127.0.0.1' : bind.includes(':') ? `[${bind}]` : bind;
  const local = (port: number) => `${tls ? 'https' : 'http'}://${host}:${port}`;
  const storage = trimmed(settings.CAIRN_STORAGE_URL ?? local(STORAGE_API_PORT));
  const gateway = trimmed(settings.CAIRN_GATEWAY_URL ?? local(RPC_GATEWAY_PORT));
  return {
    storage,
    gateway,
    publicStorage: trimmed(settings.CAIRN_PUBLIC_STORAGE_URL ?? storage),
    publicGateway: trimmed(settings.CAIRN_PUBLIC_GATEWAY_URL ?? gateway),
  };
}

function trimmed(url: string): string {
  return url.replace(/\/+$/, '');
}

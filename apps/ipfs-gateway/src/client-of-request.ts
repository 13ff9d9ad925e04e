import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** Client and target of a request, after the fields of trusted proxies. */
export interface RequestSource {
  /** Address of the client. Undefined after the end of the connection. */
  readonly address: string | undefined;
  /** Host that the client asked, with its port. */
  readonly host: string;
  /** Path and query. */
  readonly target: string;
  readonly isHttps: boolean;
  /** Fields without those that only a trusted proxy may set. */
  readonly headers: IncomingMessage['headers'];
}

/** Addresses in one X-Forwarded-For that are read. Further ones cost time only. */
const forwardedMax = 20;

/** Reads the client, host and scheme of requests. Fields `X-Forwarded-*` count only if a trusted proxy sent the request. */
export class RequestSources {
  readonly #proxies = new BlockList();
  readonly #isTls: boolean;

  /** @param proxies addresses and ranges, separated by commas */
  constructor(proxies: string, { isTls }: { readonly isTls: boolean }) {
    this.#isTls = isTls;
    for (const range of proxies.split(',').filter((text) => text !== '')) {
      const [address = '', bits] = range.split('/');
      const version = isIP(address);
      const bitsMax = version === 6 ? 128 : 32;
      if (version === 0 || Number(bits ?? 0) > bitsMax)
        throw new TypeError(`${JSON.stringify(range)} is no address or range. Use one such as 10.0.0.0/8 or ::1.`);
      this.#proxies.addSubnet(address, Number(bits ?? bitsMax), version === 6 ? 'ipv6' : 'ipv4');
    }
  }

  of({ headers, socket, url = '/' }: Pick<IncomingMessage, 'headers' | 'socket' | 'url'>): RequestSource {
    const {
      'x-forwarded-host': forwardedHost,
      'x-forwarded-proto': forwardedProto,
      'x-forwarded-for': forwardedFor,
      ...rest
    } = headers;
    const isProxied = this.#isTrusted(socket.remoteAddress);
    const [, authority, path] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(url) ?? [];
    const asked = authority ?? headers.host ?? '';
    return {
      address: isProxied ? this.#clientOf(forwardedFor, socket.remoteAddress) : plainAddress(socket.remoteAddress),
      host: (isProxied ? lastOf(forwardedHost) : undefined) ?? asked,
      target: authority === undefined ? url : withSlash(path ?? ''),
      isHttps: isProxied && forwardedProto !== undefined ? lastOf(forwardedProto) === 'https' : this.#isTls,
      headers: rest,
    };
  }

  /** Returns the last address that no trusted proxy has: a client can write the ones before it. */
  #clientOf(forwarded: string | string[] | undefined, proxy: string | undefined): string | undefined {
    const addresses = listOf(forwarded).slice(-forwardedMax).map(plainAddress).reverse();
    return addresses.find((address) => address !== undefined && !this.#isTrusted(address)) ?? plainAddress(proxy);
  }

  #isTrusted(address: string | undefined): boolean {
    const plain = plainAddress(address);
    return plain !== undefined && this.#proxies.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
  }
}

function withSlash(path: string): string {
  return path.startsWith('/') ? path : `/${path}`;
}

/** A dual-stack socket reports IPv4 clients as IPv4-mapped IPv6 addresses. Returns undefined for other texts. */
function plainAddress(text: string | undefined): string | undefined {
  const plain = text?.trim().replace(/^::ffff:(?=\d+\.)/i, '');
  return plain !== undefined && isIP(plain) !== 0 ? plain : undefined;
}

function listOf(value: string | string[] | undefined): string[] {
  return (typeof value === 'string' ? value : (value ?? []).join(',')).split(',').map((text) => text.trim());
}

/** Value that the nearest proxy has added. */
function lastOf(value: string | string[] | undefined): string | undefined {
  return listOf(value).at(-1) || undefined;
}

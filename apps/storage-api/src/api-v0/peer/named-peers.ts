import { resolveTxt } from 'node:dns/promises';
import { ApiError } from '../api-error.ts';
import { parsePeerAddress } from './peer-address.ts';

/** Reads the TXT records of a host. */
export type ReadTxt = (host: string) => Promise<readonly (readonly string[])[]>;

/** Addresses of one name: the list of the public bootstrap nodes has about 20. */
const addressesMax = 100;
const dnsaddr = /^\/dnsaddr\/([^/]+)(?!.*\/(?:p2p|ipfs)\/[^/]+\/*$)/;
const absentCodes: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA']);

/** Host of an address that names its peers in DNS, such as `/dnsaddr/bootstrap.libp2p.io`; undefined for others. */
export function namingHostOf(address: string): string | undefined {
  return dnsaddr.exec(address)?.[1];
}

/**
 * Replaces addresses that name their peers in DNS by those of the peers, as Kubo does
 * (https://github.com/multiformats/multiaddr/blob/master/protocols/DNSADDR.md).
 * @throws ApiError 500 for a name without peers, in the words of Kubo
 */
export async function withNamedPeers(addresses: readonly string[], readTxt: ReadTxt = resolveTxt): Promise<string[]> {
  const lists = addresses.map(async (address) => {
    const host = namingHostOf(address);
    return host === undefined ? [address] : await peersOf(address, host, readTxt);
  });
  return (await Promise.all(lists)).flat();
}

async function peersOf(address: string, host: string, readTxt: ReadTxt): Promise<string[]> {
  const name = `_dnsaddr.${host}`;
  const records = await readTxt(name).catch((error: unknown) => {
    const code = error instanceof Error ? Reflect.get(error, 'code') : undefined;
    throw new ApiError(500, `lookup ${name}: ${absentCodes.has(code) ? 'no such host' : String(code)}`);
  });
  const texts = records.map((parts) => parts.join('')).filter((text) => text.startsWith('dnsaddr='));
  const found = texts
    .map((text) => text.slice('dnsaddr='.length))
    .filter(isPeerAddress)
    .slice(0, addressesMax);
  if (found.length === 0) throw new ApiError(500, `found no ipfs peers at ${address}`);
  return found;
}

function isPeerAddress(text: string): boolean {
  try {
    parsePeerAddress(text);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

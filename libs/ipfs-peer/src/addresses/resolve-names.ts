import { lookup } from 'node:dns/promises';
import { timeLimit } from '@cairn/platform';
import type { MultiaddrResolver } from '@libp2p/interface';
import { type Multiaddr, multiaddr } from '@multiformats/multiaddr';
import { peerLimits } from '../limits.ts';

const families: Readonly<Record<string, 0 | 4 | 6>> = { dns: 0, dns4: 4, dns6: 6 };

/** Returns IP addresses of a host name. */
export type Lookup = (name: string, family: 0 | 4 | 6) => Promise<readonly { address: string; family: number }[]>;

const systemLookup: Lookup = (name, family) => lookup(name, { all: true, family });

/**
 * Creates the resolver of `/dns4`, `/dns6` and `/dns`. Names become IP addresses before the rules judge them, and the
 * judged address is dialled: a name that changes meanwhile changes nothing. TLS addresses keep their name, since the
 * certificate is verified against it; the rules refuse names.
 */
export function createNameResolver(find: Lookup = systemLookup): MultiaddrResolver {
  return { canResolve: hasName, resolve: (address, { signal }) => resolveNames(address, signal, find) };
}

/** Replaces a name at the start of an address with its IP addresses. */
export async function resolveNames(
  address: Multiaddr,
  signal?: AbortSignal,
  find: Lookup = systemLookup,
): Promise<Multiaddr[]> {
  const found = nameOf(address);
  if (found === undefined || !hasName(address)) return [address];
  const addresses = await withDeadline(find(found.value, families[found.name] ?? 0), signal);
  const [, ...rest] = address.getComponents();
  const tail = rest.map(({ name, value }) => `/${name}${value === undefined ? '' : `/${value}`}`).join('');
  return addresses
    .slice(0, peerLimits.resolvedMax)
    .map((host) => multiaddr(`/ip${host.family}/${host.address}${tail}`));
}

function hasName(address: Multiaddr): boolean {
  return nameOf(address) !== undefined && !isTls(address);
}

function nameOf(address: Multiaddr): { readonly name: string; readonly value: string } | undefined {
  const [first] = address.getComponents();
  return first?.value !== undefined && Object.hasOwn(families, first.name)
    ? { name: first.name, value: first.value }
    : undefined;
}

function isTls(address: Multiaddr): boolean {
  return address.getComponents().some(({ name }) => name === 'tls' || name === 'wss');
}

/** DNS of the system has no signal and may take a minute. */
async function withDeadline<T>(result: Promise<T>, signal?: AbortSignal): Promise<T> {
  const deadline = timeLimit(peerLimits.resolveMs);
  const ended = signal === undefined ? deadline : AbortSignal.any([deadline, signal]);
  return await new Promise((resolve, reject) => {
    const onAbort = () => reject(ended.reason);
    ended.addEventListener('abort', onAbort, { once: true });
    result.then(resolve, reject).finally(() => ended.removeEventListener('abort', onAbort));
  });
}

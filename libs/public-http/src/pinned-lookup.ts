import { type LookupAddress, lookup as lookupOfSystem } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { addressRefused } from './errors.ts';
import { isPublicAddress } from './public-address.ts';

/** Resolves a host name to all of its addresses. */
export type ResolveHost = (host: string) => Promise<readonly LookupAddress[]>;

const resolveWithSystem: ResolveHost = (host) =>
  new Promise((resolve, reject) => {
    lookupOfSystem(host, { all: true, verbatim: true }, (error, addresses) => {
      if (error) reject(error);
      else resolve(addresses);
    });
  });

/**
 * Returns a `lookup` of `net.connect` that gives public addresses only. The connection uses exactly the address that was
 * tested, so that a second answer of the name server (DNS rebinding) has no effect.
 */
export function createPinnedLookup(resolveHost: ResolveHost = resolveWithSystem): LookupFunction {
  return (host, options, callback) => {
    const find = async () => {
      const found = await resolveHost(host);
      const allowed = found.filter(({ address }) => isPublicAddress(address));
      const [first] = allowed;
      if (first === undefined)
        throw addressRefused(
          host,
          found.map(({ address }) => address),
        );
      return { first, allowed };
    };
    find().then(
      ({ first, allowed }) => {
        if (options.all) callback(null, [...allowed]);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, options.all ? [] : ''),
    );
  };
}

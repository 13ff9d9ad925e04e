import { cidOf, ipnsNameText, libp2pKeyCode, parseIpnsName } from '@cairn/ipns';
import { type ContentOrigin, redirect } from './exchange.ts';
import type { GatewayResponse } from './gateway-types.ts';
import type { RequestTarget } from './request-target.ts';

/**
 * Redirects /ipns/<peer ID> to the name in base36, which fits into a DNS label, as Kubo does. The name need not resolve. Returns
 * undefined for a canonical name, a domain, and a name of a host.
 */
export function canonicalNameRedirect({ host, namespace, root }: ContentOrigin, { rawPath, search }: RequestTarget) {
  if (host !== undefined || namespace !== 'ipns') return undefined;
  const name = isPeerId(root) ? parseIpnsName(root) : undefined;
  const canonical = name && ipnsNameText(name);
  if (canonical === undefined || canonical === root) return undefined;
  const below = /^\/[^/]*\/[^/]*(.*)$/s.exec(rawPath)?.[1] ?? '';
  return redirect(302, `/ipns/${canonical}${below}${search}`) satisfies GatewayResponse;
}

/** Reports whether a text is a multihash in base58 or a CID with the codec of keys. */
function isPeerId(text: string): boolean {
  return /^(?:1|Qm)/.test(text) || cidOf(text)?.code === libp2pKeyCode;
}

import { cidOf } from '@cairn/ipns';
import { type ContentOrigin, redirect } from './exchange.ts';
import type { GatewayResponse } from './gateway-types.ts';
import { escapePath } from './request-target.ts';

/** Redirects /ipfs/ipfs/<cid> and /ipfs/ipns/<name>, a frequent mistake, as Kubo does. Returns undefined for other paths. */
export function doubledNamespaceRedirect(
  { host, namespace, root, below }: ContentOrigin,
  search: string,
): GatewayResponse | undefined {
  if (host !== undefined || namespace !== 'ipfs' || (root !== 'ipfs' && root !== 'ipns')) return undefined;
  const [, name = ''] = below.split('/');
  const isContent = root === 'ipfs' ? cidOf(name) !== undefined : name !== '';
  return isContent ? redirect(301, `/${root}${escapePath(below)}${search}`) : undefined;
}

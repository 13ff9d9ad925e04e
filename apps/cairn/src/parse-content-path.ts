import { isCid } from '@cairn/cid';
import { parseIpnsName } from '@cairn/ipns';
import { InvalidArgumentError } from 'commander';

/** Domain of a DNSLink: labels with a dot between them. */
const domainPattern = /^(?=.{1,253}$)[a-z0-9_-]+(\.[a-z0-9_-]+)+$/i;

/** Checks a path of the IPFS gateway, `/ipfs/<cid>/…` or `/ipns/<name>/…`. @throws InvalidArgumentError */
export function parseContentPath(path: string): string {
  const [, namespace, root = ''] = /^\/(ip[fn]s)\/([^/]*)/.exec(path) ?? [];
  if (namespace === undefined) throw new InvalidArgumentError('Expected a path such as /ipfs/<cid>/photo.jpg.');
  const shown = JSON.stringify(root.slice(0, 80));
  if (namespace === 'ipfs' && !isCid(root))
    throw new InvalidArgumentError(`${shown} is not a CID. Expected a CID such as bafybei… or Qm… after /ipfs/.`);
  if (namespace === 'ipns' && parseIpnsName(root) === undefined && !domainPattern.test(root))
    throw new InvalidArgumentError(`${shown} is not a name. Expected k51…, a peer ID or a domain after /ipns/.`);
  return path;
}

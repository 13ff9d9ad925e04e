import { CID, parseCid } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import type { ContentRequest } from '@cairn/ipfs-gateway';
import { parseIpnsName } from '@cairn/ipns';
import type { PinStore } from '@cairn/pinning';

/** Decides whether a request without a key may read content. */
export interface ContentScope {
  /** Called before the first block is read, with the root if it is known, and with all blocks of the path afterwards. */
  allows(content: ContentRequest): boolean | Promise<boolean>;
}

/** Parsed content path. The root of equal content is equal text: the multihash and codec of a CID, a domain in lower case. */
interface PathParts {
  readonly root: string;
  readonly names: readonly string[];
}

/** Allows a signed path and all that is below it. */
export function scopeOfPath(path: string): ContentScope {
  const signed = partsOf(path);
  return {
    allows: ({ path: asked }) => {
      const { root, names } = partsOf(asked);
      return root === signed.root && signed.names.every((name, at) => name === names[at]);
    },
  };
}

/** Allows what is below the recursive pins of an account. One lookup, since the root of the path must be a pin itself. */
export function scopeOfPins(pins: Pick<PinStore, 'get'>, accountId: string): ContentScope {
  return {
    async allows({ roots: [root] }) {
      // A name: its root is not known yet.
      if (root === undefined) return true;
      for (const cid of formsOf(root)) if ((await pins.get(accountId, cid))?.mode === 'recursive') return true;
      return false;
    },
  };
}

/** CIDs of both versions for one block. Subdomains have CIDs of version 1 only. */
function formsOf(cid: CID): readonly CID[] {
  if (cid.version === 0) return [cid, cid.toV1()];
  const hasVersion0 = cid.code === 0x70 && cid.multihash.code === 0x12 && cid.multihash.digest.length === 32;
  return hasVersion0 ? [cid, cid.toV0()] : [cid];
}

function partsOf(path: string): PathParts {
  const [, namespace = '', root = '', ...rest] = path.split('/');
  return { root: `${namespace} ${rootOf(namespace, root)}`, names: rest.filter((name) => name !== '') };
}

function rootOf(namespace: string, root: string): string {
  if (namespace === 'ipns') return parseIpnsName(root)?.toString() ?? root.toLowerCase().replace(/\.$/, '');
  try {
    const cid = parseCid(root);
    return CID.createV1(cid.code, cid.multihash).toString();
  } catch (error) {
    if (!isCairnError(error, 'CID_INVALID')) throw error;
    return root;
  }
}

import type { ReadOptions } from '@cairn/blockstore/core';
import type { CID } from '@cairn/cid';
import { LinkNotFoundError, type PbLink } from '@cairn/unixfs';
import { indexOf, wrongKind } from './path-errors.ts';
import { type PathNode, readPb } from './path-node.ts';

/** Returns a dag-pb block as its fields `Data` and `Links`, as paths below /ipld/ read it. @throws DAG_INVALID */
export async function pbFieldsNode(cid: CID, bytes: Uint8Array, options: ReadOptions): Promise<PathNode> {
  const { links, data } = await readPb(cid, bytes, options);
  return {
    lookup: async (name) => {
      if (name === 'Data') return { node: leaf('bytes', data === undefined ? undefined : 'dagpb.Bytes') };
      if (name === 'Links') return { node: linksNode(cid, links) };
      throw new LinkNotFoundError(name, cid.toString());
    },
  };
}

function linksNode(block: CID, links: readonly PbLink[]): PathNode {
  return {
    lookup: async (name) => {
      const link = links[indexOf(name, links.length, ' of type dagpb.PBLinks')];
      if (link === undefined) throw new LinkNotFoundError(name, block.toString());
      return { node: linkNode(block, link) };
    },
  };
}

function linkNode(block: CID, { cid }: PbLink): PathNode {
  return {
    lookup: async (name) => {
      if (name === 'Hash') return { link: cid };
      if (name === 'Name') return { node: leaf('string', 'dagpb.String') };
      if (name === 'Tsize') return { node: leaf('int', 'dagpb.Int') };
      throw new LinkNotFoundError(name, block.toString());
    },
  };
}

/** Creates the position of a field without names. Without `type` the node lacks the field. A path can end at either. */
function leaf(kind: string, type: string | undefined): PathNode {
  return {
    lookup: async () => {
      throw type === undefined ? wrongKind('null', 'absent') : wrongKind(kind, type);
    },
  };
}

import { CID, codecs } from '@cairn/cid';
import * as dagCbor from '@ipld/dag-cbor';
import * as dagJson from '@ipld/dag-json';
import * as dagPb from '@ipld/dag-pb';
import { UndecodableBlockError, UnsupportedCodecError } from './errors.ts';

/** The CIDs that a block links to, in order, repeated ones included. @throws CODEC_UNSUPPORTED, DAG_INVALID */
export function linksOf(cid: CID, bytes: Uint8Array): CID[] {
  try {
    switch (cid.code) {
      case codecs.raw:
        return [];
      case codecs['dag-pb']:
        return dagPb.decode(bytes).Links.flatMap(({ Hash }) => CID.asCID(Hash) ?? []);
      case codecs['dag-cbor']:
        return linksIn(dagCbor.decode(bytes));
      case codecs['dag-json']:
        return linksIn(dagJson.decode(bytes));
      case codecs['dag-jose']: {
        const value = dagCbor.decode<{ readonly payload?: Uint8Array }>(bytes);
        // What is signed is named by bytes that are a CID.
        return [...(value.payload ? [CID.decode(value.payload)] : []), ...linksIn(value)];
      }
    }
  } catch (error) {
    throw new UndecodableBlockError(cid.toString(), error);
  }
  throw new UnsupportedCodecError(cid.toString(), cid.code);
}

/** Collects CIDs without recursion: nesting is bounded by the length of the block, not by the stack. */
function linksIn(root: unknown): CID[] {
  const links: CID[] = [];
  const open: unknown[] = [root];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value !== 'object' || value === null || value instanceof Uint8Array) continue;
    const link = CID.asCID(value);
    if (link) links.push(link);
    else open.push(...Object.values(value).reverse());
  }
  return links;
}

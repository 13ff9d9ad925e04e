import { CID, codecs } from '@cairn/cid';
import * as dagCbor from '@ipld/dag-cbor';
import * as dagJson from '@ipld/dag-json';
import * as dagPb from '@ipld/dag-pb';
import { cborLinks } from './cbor-links.ts';
import { UndecodableBlockError, UnsupportedCodecError } from './errors.ts';
import { linksInOrder } from './links-in-order.ts';

/** The CIDs that a block links to, in order, repeated ones included. @throws CODEC_UNSUPPORTED, DAG_INVALID */
export function linksOf(cid: CID, bytes: Uint8Array): CID[] {
  try {
    switch (cid.code) {
      case codecs.raw:
      // Plain CBOR and JSON have no form for links, so go-ipld-prime finds none in them.
      case codecs.cbor:
      case codecs.json:
        return [];
      case codecs['dag-pb']:
        return dagPb.decode(bytes).Links.flatMap(({ Hash }) => CID.asCID(Hash) ?? []);
      case codecs['dag-cbor']:
        return cborLinks(bytes);
      case codecs['dag-json']:
        return linksInOrder(jsonOf(bytes), bytes, (link) => Buffer.from(link.toString()));
      case codecs['dag-jose']: {
        const value = dagCbor.decode<{ readonly payload?: Uint8Array }>(bytes);
        // What is signed is named by bytes that are a CID.
        return [...(value.payload ? [CID.decode(value.payload)] : []), ...linksInOrder(value, bytes, bytesOf)];
      }
    }
  } catch (error) {
    throw new UndecodableBlockError(cid.toString(), error);
  }
  throw new UnsupportedCodecError(cid.toString(), cid.code);
}

/** The value of a DAG-JSON block. The strict decoder is fast, and refuses maps that have "/" beside other keys. */
function jsonOf(bytes: Uint8Array): unknown {
  try {
    return dagJson.decode(bytes);
  } catch {
    return JSON.parse(Buffer.from(bytes).toString(), (_key, value: unknown) => linkOf(value) ?? value);
  }
}

/** The CID of a map of DAG-JSON whose only entry is a link. @throws Error for text that is no CID */
function linkOf(value: unknown): CID | undefined {
  if (typeof value !== 'object' || value === null || !('/' in value) || typeof value['/'] !== 'string')
    return undefined;
  return Object.keys(value).length === 1 ? CID.parse(value['/']) : undefined;
}

const bytesOf = ({ bytes }: CID): Uint8Array => bytes;

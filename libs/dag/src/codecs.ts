import * as dagCbor from '@ipld/dag-cbor';
import * as dagJson from '@ipld/dag-json';
import * as dagPb from '@ipld/dag-pb';
import { decodeJose, encodeJose } from './dag-jose.ts';
import { UndecodableError, UnencodableError } from './errors.ts';

/** Codecs whose blocks are read and written as values of the IPLD data model. */
export const dagCodecs = ['dag-pb', 'dag-cbor', 'dag-json', 'dag-jose', 'raw'] as const;
export type DagCodec = (typeof dagCodecs)[number];

/** True for a name of {@link dagCodecs}. */
export function isDagCodec(name: string): name is DagCodec {
  return dagCodecs.some((codec) => codec === name);
}

/**
 * The value of a block: plain objects, arrays, `Uint8Array`s and CIDs. Only the strict form of each codec is taken.
 * `what` names the bytes in errors.
 * @throws DAG_INVALID
 */
export function decodeDag(codec: DagCodec, bytes: Uint8Array, what = 'The data'): unknown {
  try {
    switch (codec) {
      case 'raw':
        return bytes;
      case 'dag-pb':
        return dagPb.decode(bytes);
      case 'dag-cbor':
        return dagCbor.decode(bytes);
      case 'dag-json':
        return dagJson.decode(bytes);
      case 'dag-jose':
        return decodeJose(bytes);
    }
  } catch (error) {
    // Nesting that is deeper than the stack ends here too.
    throw new UndecodableError(what, codec, error);
  }
}

/** The block of a value. @throws VALUE_INVALID */
export function encodeDag(codec: DagCodec, value: unknown): Uint8Array {
  try {
    switch (codec) {
      case 'raw':
        if (value instanceof Uint8Array) return value;
        throw new Error('only bytes can be');
      case 'dag-pb': {
        // A node is written with its links in order, whatever order they were given in.
        const node = value as dagPb.PBNode;
        const isNode = typeof value === 'object' && value !== null && 'Links' in value && Array.isArray(node.Links);
        const sorted = isNode ? { ...node, Links: dagPb.prepare({ Links: node.Links }).Links } : node;
        dagPb.validate(sorted);
        return dagPb.encode(sorted);
      }
      case 'dag-cbor':
        return dagCbor.encode(value);
      case 'dag-json':
        return dagJson.encode(value);
      case 'dag-jose':
        return encodeJose(value);
    }
  } catch (error) {
    throw new UnencodableError(codec, error);
  }
}

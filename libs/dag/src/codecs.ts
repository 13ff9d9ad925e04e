import { assertBytes } from '@cairn/platform';
import * as dagCbor from '@ipld/dag-cbor';
import * as dagJson from '@ipld/dag-json';
import * as dagPb from '@ipld/dag-pb';
import { decodeJose, encodeJose } from './dag-jose.ts';
import { assertDagJsonKeys } from './dag-json-keys.ts';
import { UndecodableError, UnencodableError, UnknownCodecError } from './errors.ts';

/**
 * Codecs whose blocks are decoded to and encoded from values of the IPLD data model. Dag-pb uses the reference implementation;
 * docs/decisions/dag-pb-codecs.md has the reasons for two codecs.
 */
export const dagCodecs = ['dag-pb', 'dag-cbor', 'dag-json', 'dag-jose', 'raw'] as const;
export type DagCodec = (typeof dagCodecs)[number];

/** Reports whether the text is a name in {@link dagCodecs}. */
export function isDagCodec(name: string): name is DagCodec {
  return dagCodecs.some((codec) => codec === name);
}

/**
 * Decodes a block to a value: plain objects, arrays, `Uint8Array`s and CIDs. `what` names the bytes in errors.
 * @throws DAG_INVALID, CODEC_UNSUPPORTED, BYTES_INVALID
 */
export function decodeDag(codec: DagCodec, bytes: Uint8Array, what = 'The data'): unknown {
  assertCodec(codec);
  assertBytes(bytes, 'bytes');
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
    // Also catches the RangeError of nesting that is deeper than the stack.
    throw new UndecodableError(what, codec, error);
  }
}

/** Encodes a value as a block. @throws VALUE_INVALID, CODEC_UNSUPPORTED */
export function encodeDag(codec: DagCodec, value: unknown): Uint8Array {
  assertCodec(codec);
  try {
    switch (codec) {
      case 'raw':
        if (value instanceof Uint8Array) return value;
        throw new Error('only bytes can be');
      case 'dag-pb': {
        // dag-pb requires links in sorted order.
        const node = value as dagPb.PBNode;
        const isNode = typeof value === 'object' && value !== null && 'Links' in value && Array.isArray(node.Links);
        const sorted = isNode ? { ...node, Links: dagPb.prepare({ Links: node.Links }).Links } : node;
        dagPb.validate(sorted);
        return dagPb.encode(sorted);
      }
      case 'dag-cbor':
        return dagCbor.encode(value);
      case 'dag-json': {
        const bytes = dagJson.encode(value);
        assertDagJsonKeys(value);
        return bytes;
      }
      case 'dag-jose':
        return encodeJose(value);
    }
  } catch (error) {
    throw new UnencodableError(codec, error);
  }
}

/** Checks calls from plain JavaScript. */
function assertCodec(codec: string): void {
  if (!isDagCodec(codec)) throw new UnknownCodecError(codec);
}

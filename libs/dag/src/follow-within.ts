import { CID } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { PathLookupError } from './errors.ts';
import { type IpldValue, kindOf } from './ipld-value.ts';
import { indexOf, wrongKind } from './path-errors.ts';
import { readValue, type TranscodableCodec } from './transcode.ts';

/** A block, and names that lead into it. */
export interface WithinBlock {
  readonly bytes: Uint8Array;
  readonly codec: TranscodableCodec;
  /** Names the block in errors. */
  readonly block: string;
  readonly names: readonly string[];
}

/** How far names lead within one block. */
export interface Followed {
  /** Names that lead to a value. */
  readonly used: number;
  /** The link that the last of them leads to; without it they end within the block. */
  readonly link?: CID | undefined;
  /** Why the next name leads nowhere, in the words of go-ipld-prime. */
  readonly failure?: string | undefined;
}

/** Follows names up to the first link. @throws DAG_INVALID */
export function followWithin({ bytes, codec, block, names }: WithinBlock): Followed {
  let value = readValue(codec, bytes, `Block ${block}`);
  for (const [index, name] of names.entries()) {
    try {
      value = childOf(value, name);
    } catch (error) {
      if (!isCairnError(error, 'PATH_LOOKUP_FAILED')) throw error;
      return { used: index, failure: error.message };
    }
    if (value instanceof CID) return { used: index + 1, link: value };
  }
  return { used: names.length };
}

/** Finds the value under a name of a list or map. @throws PATH_LOOKUP_FAILED */
export function childOf(value: IpldValue, name: string): IpldValue {
  if (Array.isArray(value)) return value[indexOf(name, value.length)];
  if (value instanceof Map) {
    const found: IpldValue | undefined = value.get(name);
    if (found !== undefined) return found;
    throw new PathLookupError(`key not found: ${JSON.stringify(name)}`);
  }
  const kind = kindOf(value);
  throw wrongKind(kind, kind);
}

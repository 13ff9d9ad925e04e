import { CID } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { PathLookupError } from './errors.ts';
import { type IpldValue, kindOf } from './ipld-value.ts';
import { indexOf, wrongKind } from './path-errors.ts';
import { readValue, type TranscodableCodec } from './transcode.ts';

/** Block, and the names that lead into it. */
export interface WithinBlock {
  readonly bytes: Uint8Array;
  readonly codec: TranscodableCodec;
  /** Name of the block in errors. */
  readonly block: string;
  readonly names: readonly string[];
}

/** Result of following names within one block. */
export interface Followed {
  /** Number of names that were followed. */
  readonly used: number;
  /** Link at the last followed name. Absent if the names end within the block. */
  readonly link?: CID | undefined;
  /** Reason why the next name cannot be followed, with the message of go-ipld-prime. */
  readonly failure?: string | undefined;
}

/** Follows names to the first link. @throws DAG_INVALID */
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

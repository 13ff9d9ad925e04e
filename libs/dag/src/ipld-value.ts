import type { CID } from '@cairn/cid';

/** A number that is a float in the IPLD data model, also where it has no fraction. */
export class IpldFloat {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** A value of the IPLD data model that keeps integers apart from floats, and maps in their order. */
export type IpldValue =
  | null
  | boolean
  | bigint
  | IpldFloat
  | string
  | Uint8Array
  | CID
  | readonly IpldValue[]
  | ReadonlyMap<string, IpldValue>;

/** Deeper values are refused, as by go-ipld-prime. */
const ipldDepthMax = 1024;

/** Kinds of go-ipld-prime. */
export function kindOf(value: IpldValue): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'string') return 'string';
  if (value instanceof IpldFloat) return 'float';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Map) return 'map';
  return Array.isArray(value) ? 'list' : 'link';
}

/** Adds an entry of a map. @throws Error for a key that is there */
export function addEntry(map: Map<string, IpldValue>, key: string, value: IpldValue): void {
  if (map.has(key)) throw new Error(`cannot repeat map key ${JSON.stringify(key)}`);
  map.set(key, value);
}

export function assertDepth(depth: number): void {
  if (depth >= ipldDepthMax) throw new Error('message structure exceeded maximum nesting depth');
}

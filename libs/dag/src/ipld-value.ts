import type { CID } from '@cairn/cid';

/** Float of the IPLD data model, also without a fraction. */
export class IpldFloat {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** Value of the IPLD data model. Integers are distinct from floats, and maps keep their order. */
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

/** Limit of the nesting depth, as in go-ipld-prime. */
const ipldDepthMax = 1024;

/** Returns the kind of a value in the terms of go-ipld-prime. */
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

/** Adds an entry to a map. @throws Error for a repeated key */
export function addEntry(map: Map<string, IpldValue>, key: string, value: IpldValue): void {
  if (map.has(key)) throw new Error(`cannot repeat map key ${JSON.stringify(key)}`);
  map.set(key, value);
}

export function assertDepth(depth: number): void {
  if (depth >= ipldDepthMax) throw new Error('message structure exceeded maximum nesting depth');
}

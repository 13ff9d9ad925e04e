import { hexDigitsFromBytes } from '@cairn/platform';
import { CorruptNodeError } from './errors.ts';
import type { TrieNodeStore } from './node-store.ts';

export const hex = (bytes: Uint8Array) => `0x${hexDigitsFromBytes(bytes)}`;
export const bytes = (text: string) => new Uint8Array(Buffer.from(text.replace(/^0x/, ''), 'hex'));

/** A node store in memory. */
export class MemoryNodes implements TrieNodeStore {
  readonly nodes = new Map<string, Uint8Array>();

  load(hash: Uint8Array): Uint8Array {
    const node = this.nodes.get(hex(hash));
    if (node === undefined) throw new CorruptNodeError(hex(hash), 'a node', 'none');
    return node;
  }

  save(hash: Uint8Array, node: Uint8Array): void {
    this.nodes.set(hex(hash), node);
  }
}

// Hot path: computes the state trie of a restored chain, millions of leaves in one pass.
// sorted-trie.spec.ts verifies it against trieRoot and Trie.
import { keccak256 } from '@cairn/cid';
import { bytesFromHexDigits, compareBytes, hexDigitsFromBytes } from '@cairn/platform';
import { encodeRlp, encodeRlpList } from '@cairn/rlp';
import { emptyTrieRoot } from './empty-root.ts';
import { EmptyValueError, InvalidKeyError } from './errors.ts';
import { bytesOfNibbles, encodePath, nibblesOf, sharedLength } from './nibbles.ts';

/** Position of a {@link SortedTrie} between two leaves, as JSON. Bytes are hexadecimal digits. */
export interface SortedTrieState {
  readonly key: string;
  readonly value: string;
  readonly masks: readonly number[];
  readonly references: readonly string[];
}

const noBytes = new Uint8Array(0);
const emptyItem = Uint8Array.of(0x80);

/**
 * Computes the root of a Merkle Patricia trie (Yellow Paper, appendix D) from leaves in the order of their keys. Memory
 * depends on the length of a key, not on the number of leaves. All keys have the same length.
 */
export class SortedTrie {
  readonly #onNode: ((hash: Uint8Array, node: Uint8Array) => void) | undefined;
  /** Nibbles of the last key, whose leaf has no node yet. */
  #path: Uint8Array = noBytes;
  #value: Uint8Array = noBytes;
  /** Children of the open branch at each depth of the last key, one bit for each nibble. */
  #masks: number[] = [];
  /** Encoded references to finished nodes below open branches, in order. */
  #references: Uint8Array[] = [];

  /** @param onNode receives each node with its hash once it is final; nodes inside their parents are omitted */
  constructor(onNode?: (hash: Uint8Array, node: Uint8Array) => void, state?: SortedTrieState) {
    this.#onNode = onNode;
    if (state === undefined) return;
    this.#path = nibblesOf(bytesFromHexDigits(state.key));
    this.#value = bytesFromHexDigits(state.value);
    this.#masks = [...state.masks];
    this.#references = state.references.map(bytesFromHexDigits);
  }

  /** Returns the position after the last leaf, for another instance that continues. */
  get state(): SortedTrieState {
    return {
      key: hexDigitsFromBytes(bytesOfNibbles(this.#path)),
      value: hexDigitsFromBytes(this.#value),
      masks: [...this.#masks],
      references: this.#references.map(hexDigitsFromBytes),
    };
  }

  /**
   * Adds the next leaf.
   * @throws TRIE_KEY_INVALID for a key that does not follow the last one, or has another length; TRIE_VALUE_EMPTY
   */
  add(key: Uint8Array, value: Uint8Array): void {
    if (value.length === 0) throw new EmptyValueError(hexDigitsFromBytes(key));
    const path = nibblesOf(key);
    if (this.#path.length > 0) {
      if (path.length !== this.#path.length || compareBytes(path, this.#path) <= 0)
        throw new InvalidKeyError(hexDigitsFromBytes(key), 'it does not follow the last key');
      this.#finish(path);
    }
    this.#path = path;
    this.#value = value;
  }

  /** Returns the root of the leaves. The trie must not be used afterwards. */
  root(): Uint8Array {
    if (this.#path.length === 0) return emptyTrieRoot;
    this.#finish(noBytes);
    const reference = this.#references[0] as Uint8Array;
    if (reference.length === 33) return reference.subarray(1);
    // The root is a node of its own also where it is shorter than a hash.
    const hash = keccak256(reference);
    this.#onNode?.(hash, reference);
    return hash;
  }

  /** Finishes all nodes that the last key does not share with the next one; all nodes where `next` is empty. */
  #finish(next: Uint8Array): void {
    const isLast = next.length === 0;
    const shared = isLast ? 0 : sharedLength(next, this.#path, 0);
    let end = this.#path.length;
    let isLeaf = true;
    for (;;) {
      const open = this.#masks.length - 1;
      const hasParent = !isLast || open >= 0;
      const depth = Math.max(open, shared);
      if (hasParent) {
        while (this.#masks.length <= depth) this.#masks.push(0);
        this.#masks[depth] = (this.#masks[depth] as number) | (1 << (this.#path[depth] as number));
      }
      const path = this.#path.subarray(hasParent ? depth + 1 : 0, end);
      if (isLeaf) this.#references.push(this.#reference([encodeRlp(encodePath(path, true)), encodeRlp(this.#value)]));
      else if (path.length > 0) {
        const child = this.#references.pop() as Uint8Array;
        this.#references.push(this.#reference([encodeRlp(encodePath(path, false)), child]));
      }
      if (!hasParent || (open <= shared && !isLast)) return;
      this.#closeBranch(depth);
      end = depth;
      isLeaf = false;
    }
  }

  /** Replaces the references of the branch at a depth, the deepest one, by a reference to the branch. */
  #closeBranch(depth: number): void {
    const mask = this.#masks[depth] as number;
    const items: Uint8Array[] = [];
    let count = 0;
    for (let nibble = 0; nibble < 16; nibble++) count += (mask >> nibble) & 1;
    let at = this.#references.length - count;
    for (let nibble = 0; nibble < 16; nibble++)
      items.push((mask >> nibble) & 1 ? (this.#references[at++] as Uint8Array) : emptyItem);
    items.push(emptyItem);
    this.#references.length -= count;
    this.#references.push(this.#reference(items));
    this.#masks.length = depth;
    while (this.#masks.at(-1) === 0) this.#masks.pop();
  }

  /** Form of a node within its parent, encoded: the node itself where it is shorter than a hash, otherwise its hash. */
  #reference(items: readonly Uint8Array[]): Uint8Array {
    const node = encodeRlpList(items);
    if (node.length < 32) return node;
    const hash = keccak256(node);
    this.#onNode?.(hash, node);
    return encodeRlp(hash);
  }
}

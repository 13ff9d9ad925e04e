// Hot path: computes the state root of each imported block.
// trie.bench.ts measures it; @ethereumjs/mpt is the oracle of trie.spec.ts.
import { keccak256 } from '@cairn/cid';
import { concatBytes, hexDigitsFromBytes } from '@cairn/platform';
import { encodeRlp, type RlpItem } from '@cairn/rlp';
import { corrupt, type DecodedNode, decodeNode, readNode } from './decode-node.ts';
import { emptyTrieRoot, isEmptyTrieRoot } from './empty-root.ts';
import { InvalidKeyError } from './errors.ts';
import { bytesOfNibbles, encodePath, nibblesOf, sharedLength } from './nibbles.ts';
import type { TrieNodeStore } from './node-store.ts';

interface Leaf {
  readonly kind: 'leaf';
  readonly path: Uint8Array;
  readonly value: Uint8Array;
}
interface Extension {
  readonly kind: 'extension';
  readonly path: Uint8Array;
  readonly child: Node;
}
interface Branch {
  readonly kind: 'branch';
  readonly children: readonly (Node | undefined)[];
}
/** A stored node that has not been loaded. */
interface Unread {
  readonly kind: 'unread';
  readonly hash: Uint8Array;
}
/** Nodes are immutable: a write replaces those between the root and the key. */
type Node = Leaf | Extension | Branch | Unread;

const noBytes = new Uint8Array(0);

/**
 * A Merkle Patricia trie in which no key is a prefix of another key, such as keys of one length (Yellow Paper, appendix D). Loads
 * nodes when a key passes them. Hashes nodes when the root is computed: each once, for any number of writes below it. Synchronous.
 */
export class Trie {
  readonly #store: TrieNodeStore;
  #root: Node | undefined;
  /** Form of each node within its parent: the node itself where its RLP is shorter than a hash, otherwise its hash. */
  readonly #references = new WeakMap<Node, RlpItem>();

  constructor(store: TrieNodeStore, root: Uint8Array) {
    this.#store = store;
    this.#root = isEmptyTrieRoot(root) ? undefined : { kind: 'unread', hash: root };
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const path = nibblesOf(key);
    let node = this.#root;
    let at = 0;
    while (node !== undefined) {
      const here = this.#read(node);
      if (here.kind === 'branch') {
        node = here.children[path[at] as number];
        at++;
        continue;
      }
      const shared = sharedLength(here.path, path, at);
      if (shared < here.path.length) return undefined;
      at += shared;
      if (here.kind === 'leaf') return at === path.length ? here.value : undefined;
      node = here.child;
    }
    return undefined;
  }

  /**
   * Writes a value. As in geth, an empty value removes the key: no trie contains one.
   * @throws TRIE_KEY_INVALID for a key that is a prefix of another key, or begins with one
   */
  put(key: Uint8Array, value: Uint8Array): void {
    if (value.length === 0) this.remove(key);
    else this.#root = this.#with(this.#root, nibblesOf(key), 0, value);
  }

  remove(key: Uint8Array): void {
    this.#root = this.#without(this.#root, nibblesOf(key), 0);
  }

  /** Computes the root of the current content, and passes new nodes to the node store. */
  root(): Uint8Array {
    const root = this.#root;
    if (root === undefined) return emptyTrieRoot;
    if (root.kind === 'unread') return root.hash;
    const known = this.#references.get(root);
    if (known instanceof Uint8Array) return known;
    const encoded = encodeRlp(this.#itemOf(root));
    const hash = keccak256(encoded);
    this.#store.save(hash, encoded);
    this.#references.set(root, hash);
    return hash;
  }

  #with(node: Node | undefined, path: Uint8Array, at: number, value: Uint8Array): Node {
    if (node === undefined) return { kind: 'leaf', path: path.subarray(at), value };
    const here = this.#read(node);
    if (here.kind === 'branch') {
      const nibble = path[at] ?? prefixKey(path);
      return branchWith(here, nibble, this.#with(here.children[nibble], path, at + 1, value));
    }
    const shared = sharedLength(here.path, path, at);
    if (shared === here.path.length) {
      if (here.kind === 'leaf') return at + shared === path.length ? { ...here, value } : prefixKey(path);
      return { ...here, child: this.#with(here.child, path, at + shared, value) };
    }
    // The paths part here: a branch replaces the rest of both.
    const children: (Node | undefined)[] = new Array(16).fill(undefined);
    const rest = here.path.subarray(shared + 1);
    children[here.path[shared] as number] =
      here.kind === 'leaf' ? { ...here, path: rest } : rest.length === 0 ? here.child : { ...here, path: rest };
    children[path[at + shared] ?? prefixKey(path)] = { kind: 'leaf', path: path.subarray(at + shared + 1), value };
    const branch: Branch = { kind: 'branch', children };
    return shared === 0 ? branch : { kind: 'extension', path: here.path.subarray(0, shared), child: branch };
  }

  /** Returns the same node where the trie does not contain the key. */
  #without(node: Node | undefined, path: Uint8Array, at: number): Node | undefined {
    if (node === undefined) return undefined;
    const here = this.#read(node);
    if (here.kind === 'branch') {
      const nibble = path[at];
      if (nibble === undefined) return node;
      const before = here.children[nibble];
      const child = this.#without(before, path, at + 1);
      return child === before ? node : this.#shortened(branchWith(here, nibble, child));
    }
    if (sharedLength(here.path, path, at) < here.path.length) return node;
    if (here.kind === 'leaf') return at + here.path.length === path.length ? undefined : node;
    const child = this.#without(here.child, path, at + here.path.length);
    return child === here.child || child === undefined ? node : this.#prefixed(here.path, child);
  }

  /** Replaces a branch with a single child by that child. */
  #shortened(branch: Branch): Node {
    const present = branch.children.flatMap((child, nibble) => (child === undefined ? [] : [{ child, nibble }]));
    const [only] = present;
    if (present.length !== 1 || only === undefined) return branch;
    return this.#prefixed(Uint8Array.of(only.nibble), only.child);
  }

  /** Puts a path before a node. Leaves and extensions extend their own path. */
  #prefixed(path: Uint8Array, node: Node): Node {
    const here = this.#read(node);
    return here.kind === 'branch'
      ? { kind: 'extension', path, child: node }
      : { ...here, path: concatBytes([path, here.path]) };
  }

  #read(node: Node): Exclude<Node, Unread> {
    return node.kind === 'unread' ? nodeOf(readNode(this.#store, node.hash)) : node;
  }

  #itemOf(node: Exclude<Node, Unread>): RlpItem[] {
    if (node.kind === 'leaf') return [encodePath(node.path, true), node.value];
    if (node.kind === 'extension') return [encodePath(node.path, false), this.#reference(node.child)];
    const items: RlpItem[] = node.children.map((child) => (child === undefined ? noBytes : this.#reference(child)));
    items.push(noBytes);
    return items;
  }

  #reference(node: Node): RlpItem {
    if (node.kind === 'unread') return node.hash;
    let reference = this.#references.get(node);
    if (reference === undefined) {
      const item = this.#itemOf(node);
      const encoded = encodeRlp(item);
      reference = encoded.length < 32 ? item : keccak256(encoded);
      if (reference instanceof Uint8Array) this.#store.save(reference, encoded);
      this.#references.set(node, reference);
    }
    return reference;
  }
}

function nodeOf(decoded: DecodedNode): Exclude<Node, Unread> {
  if (decoded.kind === 'leaf') return decoded;
  if (decoded.kind === 'extension') return { ...decoded, child: childOf(decoded.child) ?? missingChild() };
  return { kind: 'branch', children: decoded.items.slice(0, 16).map(childOf) };
}

function childOf(reference: RlpItem): Node | undefined {
  if (!(reference instanceof Uint8Array)) return nodeOf(decodeNode(reference));
  if (reference.length === 0) return undefined;
  if (reference.length !== 32) throw corrupt('a hash of 32 bytes', `${reference.length} bytes`);
  return { kind: 'unread', hash: reference };
}

function prefixKey(path: Uint8Array): never {
  throw new InvalidKeyError(
    hexDigitsFromBytes(bytesOfNibbles(path)),
    'it is a prefix of another key, or begins with one',
  );
}

function missingChild(): never {
  throw corrupt('a child', 'none');
}

function branchWith({ children }: Branch, nibble: number, child: Node | undefined): Branch {
  const changed = children.slice();
  changed[nibble] = child;
  return { kind: 'branch', children: changed };
}

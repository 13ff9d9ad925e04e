// The roots of every block that is imported are made here; trie.spec.ts holds them to those of @ethereumjs/mpt.
import { CorruptBlockError, decodeRlp, encodeRlp, type RlpItem } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import { decodePath, encodePath, nibblesOf } from './trie-paths.ts';

/** Where nodes are, by their keccak-256. */
export interface NodeSource {
  /** @throws BLOCK_CORRUPT where it is missing, or not what its name says */
  load(hash: Uint8Array): Uint8Array;
  keep(hash: Uint8Array, node: Uint8Array): void;
}

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
/** What is there and has not been looked at. */
interface Unread {
  readonly kind: 'unread';
  readonly hash: Uint8Array;
}
/** Nodes never change: what is written makes new ones on the way from the root. */
type Node = Leaf | Extension | Branch | Unread;

const emptyRoot = keccak256(Uint8Array.of(0x80));
const noBytes = new Uint8Array(0);

/**
 * A Merkle Patricia trie whose keys all have one length (Yellow Paper, appendix D). Nodes are read when they are met, and
 * hashed when the root is asked for: once, however many writes went through them. Synchronous.
 */
export class Trie {
  readonly #source: NodeSource;
  #root: Node | undefined;
  /** What nodes look like within their parents: themselves where they are short, else their hashes. */
  readonly #references = new WeakMap<Node, RlpItem>();

  constructor(source: NodeSource, root: Uint8Array) {
    this.#source = source;
    this.#root = Buffer.compare(root, emptyRoot) === 0 ? undefined : { kind: 'unread', hash: root };
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
      if (here.kind === 'leaf') return here.value;
      at += shared;
      node = here.child;
    }
    return undefined;
  }

  /** @param value not empty */
  put(key: Uint8Array, value: Uint8Array): void {
    this.#root = this.#with(this.#root, nibblesOf(key), 0, value);
  }

  remove(key: Uint8Array): void {
    this.#root = this.#without(this.#root, nibblesOf(key), 0);
  }

  /** The root of what is in it now; its new nodes are kept. */
  root(): Uint8Array {
    const root = this.#root;
    if (root === undefined) return emptyRoot;
    if (root.kind === 'unread') return root.hash;
    const known = this.#references.get(root);
    if (known instanceof Uint8Array) return known;
    const encoded = encodeRlp(this.#itemOf(root));
    const hash = keccak256(encoded);
    this.#source.keep(hash, encoded);
    this.#references.set(root, hash);
    return hash;
  }

  #with(node: Node | undefined, path: Uint8Array, at: number, value: Uint8Array): Node {
    if (node === undefined) return { kind: 'leaf', path: path.subarray(at), value };
    const here = this.#read(node);
    if (here.kind === 'branch') {
      const nibble = path[at] as number;
      return branchWith(here, nibble, this.#with(here.children[nibble], path, at + 1, value));
    }
    const shared = sharedLength(here.path, path, at);
    if (shared === here.path.length) {
      if (here.kind === 'leaf') return { ...here, value };
      return { ...here, child: this.#with(here.child, path, at + shared, value) };
    }
    // Two ways part here.
    const children: (Node | undefined)[] = new Array(16).fill(undefined);
    const rest = here.path.subarray(shared + 1);
    children[here.path[shared] as number] =
      here.kind === 'leaf' ? { ...here, path: rest } : rest.length === 0 ? here.child : { ...here, path: rest };
    children[path[at + shared] as number] = { kind: 'leaf', path: path.subarray(at + shared + 1), value };
    const branch: Branch = { kind: 'branch', children };
    return shared === 0 ? branch : { kind: 'extension', path: here.path.subarray(0, shared), child: branch };
  }

  /** The very node where the key is not in it. */
  #without(node: Node | undefined, path: Uint8Array, at: number): Node | undefined {
    if (node === undefined) return undefined;
    const here = this.#read(node);
    if (here.kind === 'branch') {
      const nibble = path[at] as number;
      const before = here.children[nibble];
      const child = this.#without(before, path, at + 1);
      return child === before ? node : this.#shortened(branchWith(here, nibble, child));
    }
    if (sharedLength(here.path, path, at) < here.path.length) return node;
    if (here.kind === 'leaf') return undefined;
    const child = this.#without(here.child, path, at + here.path.length);
    return child === here.child || child === undefined ? node : this.#behind(here.path, child);
  }

  /** A branch of one way is none. */
  #shortened(branch: Branch): Node {
    const ways = branch.children.flatMap((child, nibble) => (child === undefined ? [] : [{ child, nibble }]));
    const [only] = ways;
    if (ways.length !== 1 || only === undefined) return branch;
    return this.#behind(Uint8Array.of(only.nibble), only.child);
  }

  /** A node with a path before it, which a leaf or an extension takes into its own. */
  #behind(path: Uint8Array, node: Node): Node {
    const here = this.#read(node);
    return here.kind === 'branch'
      ? { kind: 'extension', path, child: node }
      : { ...here, path: Buffer.concat([path, here.path]) };
  }

  #read(node: Node): Exclude<Node, Unread> {
    if (node.kind !== 'unread') return node;
    return this.#decode(decodeRlp('trie node', this.#source.load(node.hash)));
  }

  #decode(item: RlpItem): Exclude<Node, Unread> {
    if (!Array.isArray(item)) throw corrupt('a list', 'bytes');
    if (item.length === 17)
      return { kind: 'branch', children: item.slice(0, 16).map((child) => this.#decodeChild(child)) };
    const [encoded, child] = item;
    if (!(encoded instanceof Uint8Array) || child === undefined || item.length !== 2)
      throw corrupt('2 or 17 items', `${item.length}`);
    const { nibbles: path, isLeaf } = decodePath(encoded);
    if (!isLeaf) return { kind: 'extension', path, child: this.#decodeChild(child) ?? missing() };
    if (!(child instanceof Uint8Array)) throw corrupt('a value', 'a list');
    return { kind: 'leaf', path, value: child };
  }

  #decodeChild(item: RlpItem): Node | undefined {
    if (!(item instanceof Uint8Array)) return this.#decode(item);
    if (item.length === 0) return undefined;
    if (item.length !== 32) throw corrupt('a hash', `${item.length} bytes`);
    return { kind: 'unread', hash: item };
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
      if (reference instanceof Uint8Array) this.#source.keep(reference, encoded);
      this.#references.set(node, reference);
    }
    return reference;
  }
}

function branchWith({ children }: Branch, nibble: number, child: Node | undefined): Branch {
  const changed = children.slice();
  changed[nibble] = child;
  return { kind: 'branch', children: changed };
}

function sharedLength(one: Uint8Array, other: Uint8Array, at: number): number {
  let length = 0;
  while (length < one.length && one[length] === other[at + length]) length++;
  return length;
}

function corrupt(expected: string, found: string): CorruptBlockError {
  return new CorruptBlockError('of the state', 'trie node', expected, found);
}

function missing(): never {
  throw corrupt('a child', 'none');
}

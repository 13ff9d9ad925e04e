import type { Block } from '@cairn/blockstore/core';
import { assertHashAllowed, type CID, verifyBytes } from '@cairn/cid';
import type { BlockExchange, ExchangePeer, ExchangeSession, FetchOptions, Provider } from '../block-exchange.ts';
import type { RemoteNode } from './describe-block-exchange.ts';

/** Exchange in memory, for tests of programs that use the port. */
export interface MemoryExchange extends BlockExchange {
  /** Adds a node without blocks. */
  addNode(): RemoteNode & { readonly provider: { readonly peer: string } };
  /** Adds a node that answers each request with other bytes. */
  addWrongNode(): { readonly peer: string };
  /** Blocks reported by `announce`. */
  readonly announced: readonly CID[];
}

export function createMemoryExchange(): MemoryExchange {
  return new Exchange();
}

/** Answers a request for a block. */
type Node = (key: string) => Uint8Array | undefined;
type Counters = { -readonly [Name in keyof ExchangePeer]: ExchangePeer[Name] };

class Exchange implements MemoryExchange {
  readonly announced: CID[] = [];
  readonly #nodes = new Map<string, Node>();
  readonly #counters = new Map<string, Counters>();
  readonly #closing = new AbortController();
  /** Fetches that wait, called after each change of a node or a session. */
  readonly #retries = new Set<() => void>();

  addNode(): RemoteNode & { readonly provider: { readonly peer: string } } {
    const blocks = new Map<string, Uint8Array>();
    const provider = this.#add((key) => blocks.get(key));
    const put = async (added: readonly Block[]) => {
      for (const { cid, bytes } of added) blocks.set(keyOf(cid), bytes);
      this.#retry();
    };
    return { provider, put };
  }

  addWrongNode(): { readonly peer: string } {
    return this.#add(() => new TextEncoder().encode('wrong'));
  }

  fetch(cid: CID, options: FetchOptions = {}): Promise<Uint8Array> {
    return this.#fetch(cid, () => options.providers ?? [], [options.signal]);
  }

  openSession({ providers = [] }: { readonly providers?: readonly Provider[] } = {}): ExchangeSession {
    const known = [...providers];
    const closing = new AbortController();
    return {
      fetch: (cid, options = {}) =>
        this.#fetch(cid, () => [...known, ...(options.providers ?? [])], [options.signal, closing.signal]),
      addProviders: (added) => {
        known.push(...added);
        this.#retry();
      },
      close: () => closing.abort(new Error('The session is closed.')),
    };
  }

  announce(cids: readonly CID[]): void {
    this.announced.push(...cids);
  }

  peers(): readonly ExchangePeer[] {
    return [...this.#counters.values()].map((counters) => ({ ...counters }));
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('The exchange is closed.'));
  }

  #add(node: Node): { readonly peer: string } {
    const peer = `node${this.#nodes.size}`;
    this.#nodes.set(peer, node);
    this.#counters.set(peer, { peer, bytesReceived: 0, bytesSent: 0, blocksReceived: 0, blocksSent: 0 });
    return { peer };
  }

  #retry(): void {
    for (const retry of [...this.#retries]) retry();
  }

  async #fetch(
    cid: CID,
    providers: () => readonly Provider[],
    ends: readonly (AbortSignal | undefined)[],
  ): Promise<Uint8Array> {
    assertHashAllowed(cid.multihash);
    const signal = AbortSignal.any([...ends, this.#closing.signal].filter((end) => end !== undefined));
    signal.throwIfAborted();
    if (cid.multihash.code === 0) return cid.multihash.digest;
    let retry = () => {};
    let end = () => {};
    try {
      return await new Promise<Uint8Array>((resolve, reject) => {
        end = () => reject(signal.reason);
        signal.addEventListener('abort', end, { once: true });
        retry = () => {
          const bytes = this.#ask(cid, providers());
          if (bytes !== undefined) resolve(bytes);
        };
        this.#retries.add(retry);
        retry();
      });
    } finally {
      this.#retries.delete(retry);
      signal.removeEventListener('abort', end);
    }
  }

  #ask(cid: CID, providers: readonly Provider[]): Uint8Array | undefined {
    for (const { peer = '' } of providers) {
      const bytes = this.#nodes.get(peer)?.(keyOf(cid));
      const counters = this.#counters.get(peer);
      if (bytes === undefined || counters === undefined || !isVerified(cid, bytes)) continue;
      counters.bytesReceived += bytes.length;
      counters.blocksReceived++;
      return bytes;
    }
    return undefined;
  }
}

function keyOf(cid: CID): string {
  return cid.multihash.bytes.join();
}

function isVerified(cid: CID, bytes: Uint8Array): boolean {
  try {
    verifyBytes(cid, bytes);
    return true;
  } catch {
    return false;
  }
}

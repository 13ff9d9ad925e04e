import { createHash } from 'node:crypto';
import { type Header, type Hex, type Log, logsBloomOf, type Receipt } from '@cairn/block-model';
import type { Chain } from '../chains/chain.ts';
import { NetworkPending } from '../sending/pending-transactions.ts';
import { RoundRobin } from './round-robin.ts';
import { Subscriptions } from './subscriptions.ts';

/** Addresses of the logs: the blocks use both. */
export const addresses = [`0x${'11'.repeat(20)}`, `0x${'22'.repeat(20)}`] as const satisfies readonly Hex[];

export const hashOf = (path: string): Hex => `0x${createHash('sha256').update(path).digest('hex')}`;

class ContentMissing extends Error {}

/**
 * A chain whose blocks are named by their path from genesis: "ab" is a child of "a". Each block has up to three logs. `isRemote`
 * makes each read wait for its content, like a network with upstreams.
 */
export class TestChain {
  readonly network = { name: 'test', hosts: [], requireFrom: false };
  readonly isRemote: boolean;
  /** Called by each fetch of a remote chain. A thrown error fails the fetch. */
  onFetch: (what: string) => void | Promise<void> = () => {};
  readonly #headers = new Map<Hex, { readonly header: Header; readonly path: string }>();
  readonly #listeners = new Set<() => void>();
  #path = '';
  #pretended: bigint | undefined;

  readonly #data: Hex;

  /** @param options `data`: the data of each log */
  constructor({ isRemote = false, data = '0x' }: { readonly isRemote?: boolean; readonly data?: Hex } = {}) {
    this.isRemote = isRemote;
    this.#data = data;
    this.#add('');
  }

  /** Path of the head. */
  get path(): string {
    return this.#path;
  }

  /** Moves the head and announces the change. */
  moveTo(path: string): void {
    for (let length = 0; length <= path.length; length++) this.#add(path.slice(0, length));
    this.#path = path;
    for (const listener of [...this.#listeners]) listener();
  }

  /** Reports a higher head, whose blocks do not exist. */
  pretendHead(number: bigint): void {
    this.#pretended = number;
  }

  /** Forgets a block, like an upstream that prunes branches. */
  forget(path: string): void {
    this.#headers.delete(hashOf(path));
  }

  readonly heads = {
    listen: (listener: () => void) => {
      this.#listeners.add(listener);
      return () => void this.#listeners.delete(listener);
    },
  };

  get listeners(): number {
    return this.#listeners.size;
  }

  syncStatus(): false {
    return false;
  }

  /** The last log of each canonical block that matches, as `block index`, in order. */
  logs(address?: Hex, from = 0): string[] {
    return Array.from({ length: this.#path.length + 1 - from }, (_, n) => this.#path.slice(0, from + n)).flatMap(
      (path) =>
        logsOfPath(path).flatMap((log, index) =>
          address === undefined || log.address === address ? [`${hashOf(path)} ${index}`] : [],
        ),
    );
  }

  async read<T>(work: (chain: Chain) => T | Promise<T>): Promise<T> {
    const path = this.#path;
    if (!this.isRemote) return work({ reader: this.#reader(path, undefined) } as unknown as Chain);
    const fetched = new Set<string>();
    for (;;) {
      try {
        return await work({ reader: this.#reader(path, fetched) } as unknown as Chain);
      } catch (error) {
        if (!(error instanceof ContentMissing)) throw error;
        await new Promise((resolve) => setImmediate(resolve));
        await this.onFetch(error.message);
        fetched.add(error.message);
      }
    }
  }

  #reader(path: string, fetched: Set<string> | undefined) {
    const need = (what: string) => {
      if (fetched?.has(what) === false) throw new ContentMissing(what);
    };
    return {
      spec: undefined,
      head: { hash: hashOf(path), number: this.#pretended ?? BigInt(path.length) },
      header: (hash: Hex) => {
        need(`header ${hash}`);
        return this.#headers.get(hash)?.header;
      },
      hashByNumber: (number: bigint) => {
        need(`number ${number}`);
        return number <= BigInt(path.length) ? hashOf(path.slice(0, Number(number))) : undefined;
      },
      receipts: (hash: Hex) => {
        need(`receipts ${hash}`);
        const found = this.#headers.get(hash);
        return found && [{ logs: logsOfPath(found.path, this.#data) } as unknown as Receipt];
      },
      block: (hash: Hex) => {
        need(`block ${hash}`);
        const found = this.#headers.get(hash);
        return found && { header: found.header, transactions: [{ hash }] };
      },
    };
  }

  #add(path: string): void {
    const hash = hashOf(path);
    if (this.#headers.has(hash)) return;
    const parentHash = path === '' ? `0x${'00'.repeat(32)}` : hashOf(path.slice(0, -1));
    const logsBloom = logsBloomOf(logsOfPath(path));
    const fields = { hash, parentHash, number: BigInt(path.length), timestamp: 0n, logsBloom };
    const zero = { difficulty: 0n, gasLimit: 0n, gasUsed: 0n };
    this.#headers.set(hash, { header: { ...fields, ...zero } as unknown as Header, path });
  }
}

/** The logs of a block: as many as the code of its last letter says. */
function logsOfPath(path: string, data: Hex = '0x'): Log[] {
  const count = (path.charCodeAt(path.length - 1) + path.length) % 4;
  return Array.from({ length: path === '' ? 0 : count }, (_, index) => ({
    address: addresses[index % 2] as Hex,
    topics: [],
    data,
  }));
}

/** An event as a client reads it. */
export interface SeenEvent {
  readonly blockHash: Hex;
  readonly blockNumber: Hex;
  readonly logIndex: Hex;
  readonly removed: boolean;
}

/** A client of one connection. Events are in the order of arrival. */
export class TestClient {
  readonly events = new Map<string, unknown[]>();
  readonly failures: unknown[] = [];
  readonly subscriptions: Subscriptions;
  isLagging = false;
  /** Delays each send. */
  onSend: () => Promise<void> = async () => {};

  constructor(
    chain: TestChain,
    {
      scheduler = new RoundRobin(),
      pending = new NetworkPending(undefined),
    }: { readonly scheduler?: RoundRobin; readonly pending?: NetworkPending } = {},
  ) {
    this.subscriptions = new Subscriptions({
      chain,
      scheduler,
      pending,
      retryDelaysMs: [0, 0, 0],
      send: async (notifications) => {
        for (const text of notifications) {
          const { subscription, result } = JSON.parse(text).params;
          this.events.set(subscription, [...this.of(subscription), result]);
        }
        await this.onSend();
      },
      onLag: () => {
        this.isLagging = true;
      },
      onFailure: (error) => this.failures.push(error),
    });
  }

  of<Event>(id: string): Event[] {
    return (this.events.get(id) ?? []) as Event[];
  }
}

/** Waits until a condition holds, within many turns of the event loop. */
export async function eventually(isTrue: () => boolean, turnsMax = 20_000): Promise<void> {
  for (let turns = 0; !isTrue(); turns++) {
    if (turns > turnsMax) throw new Error('The condition did not become true.');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

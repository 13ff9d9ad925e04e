import type {
  BitswapTransport,
  IncomingStream,
  OutgoingStream,
  PeerName,
  Target,
  TransportEvents,
} from '../transport.ts';

/** Fate of one message in flight. */
export interface Fate {
  /** Copies that arrive: 0 loses the message. */
  readonly copies: number;
  /** Delay in milliseconds. */
  readonly delayMs: number;
}

export interface MemoryNetworkOptions {
  /** Decides about each message. Default: one copy without a delay. */
  readonly fate?: (from: PeerName, to: PeerName, bytes: Uint8Array) => Fate;
  /** Messages that one stream holds unread before its sender waits. Default: 4. */
  readonly unreadMax?: number;
}

/** Network in memory with faults, for tests of engines. */
export interface MemoryNetwork {
  /** Creates the transport of a peer. */
  transport(name: PeerName): BitswapTransport;
  connect(a: PeerName, b: PeerName): void;
  /** Closes the connection of two peers with all their streams. */
  disconnect(a: PeerName, b: PeerName): void;
  isConnected(a: PeerName, b: PeerName): boolean;
}

export function createMemoryNetwork(options: MemoryNetworkOptions = {}): MemoryNetwork {
  return new Network(options);
}

class Network implements MemoryNetwork {
  readonly #options: MemoryNetworkOptions;
  readonly #peers = new Map<PeerName, TransportEvents>();
  readonly #links = new Map<string, Set<Channel>>();

  constructor(options: MemoryNetworkOptions) {
    this.#options = options;
  }

  transport(name: PeerName): BitswapTransport {
    return {
      start: async (events) => {
        this.#peers.set(name, events);
        for (const other of this.#peers.keys()) if (this.isConnected(name, other)) events.onConnected(other);
      },
      stop: async () => {
        this.#peers.delete(name);
      },
      openStream: async (target) => this.#openStream(name, target),
      disconnect: async (peer) => this.disconnect(name, peer),
    };
  }

  connect(a: PeerName, b: PeerName): void {
    if (this.isConnected(a, b)) return;
    this.#links.set(linkKey(a, b), new Set());
    this.#peers.get(a)?.onConnected(b);
    this.#peers.get(b)?.onConnected(a);
  }

  disconnect(a: PeerName, b: PeerName): void {
    const channels = this.#links.get(linkKey(a, b));
    if (channels === undefined) return;
    this.#links.delete(linkKey(a, b));
    for (const channel of channels) channel.abort(new Error('disconnected'));
    this.#peers.get(a)?.onDisconnected(b);
    this.#peers.get(b)?.onDisconnected(a);
  }

  isConnected(a: PeerName, b: PeerName): boolean {
    return this.#links.has(linkKey(a, b));
  }

  #openStream(from: PeerName, { peer: to }: Target): OutgoingStream {
    if (!this.#peers.has(to)) throw new Error(`Peer ${to} is not in the network.`);
    this.connect(from, to);
    const channels = this.#links.get(linkKey(from, to));
    // The other side may have refused the connection.
    if (channels === undefined) throw new Error(`Peer ${to} refused the connection.`);
    const fate = this.#options.fate ?? (() => ({ copies: 1, delayMs: 0 }));
    const channel = new Channel((bytes) => fate(from, to, bytes), this.#options.unreadMax ?? 4);
    channels.add(channel);
    this.#peers.get(to)?.onStream(from, channel);
    return { send: (parts) => channel.send(Buffer.concat(parts)), abort: (reason) => channel.abort(reason) };
  }
}

const linkKey = (a: PeerName, b: PeerName) => [a, b].sort().join(' ');

/** Stream with bounded unread messages. */
class Channel implements IncomingStream {
  readonly #fate: (bytes: Uint8Array) => Fate;
  readonly #unreadMax: number;
  readonly #queue: Uint8Array[] = [];
  #failure: Error | undefined;
  #changed: () => void = () => {};
  #change = Promise.resolve();

  constructor(fate: (bytes: Uint8Array) => Fate, unreadMax: number) {
    this.#fate = fate;
    this.#unreadMax = unreadMax;
    this.#notify();
  }

  async send(bytes: Uint8Array): Promise<void> {
    const { copies, delayMs } = this.#fate(bytes);
    if (delayMs > 0) setTimeout(() => this.#deliver(bytes, copies), delayMs);
    else this.#deliver(bytes, copies);
    while (this.#queue.length >= this.#unreadMax && this.#failure === undefined) await this.#change;
    if (this.#failure !== undefined) throw this.#failure;
  }

  abort(reason: Error): void {
    this.#failure ??= reason;
    this.#queue.length = 0;
    this.#notify();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const bytes = this.#queue.shift();
      if (bytes !== undefined) {
        this.#notify();
        yield bytes;
      } else if (this.#failure !== undefined) throw this.#failure;
      else await this.#change;
    }
  }

  #deliver(bytes: Uint8Array, copies: number): void {
    if (this.#failure !== undefined) return;
    for (let copy = 0; copy < copies; copy++) this.#queue.push(bytes);
    this.#notify();
  }

  #notify(): void {
    this.#changed();
    this.#change = new Promise((resolve) => {
      this.#changed = resolve;
    });
  }
}

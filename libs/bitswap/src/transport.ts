/** Peer as text, for example a libp2p peer ID. */
export type PeerName = string;

/** Peer to connect to, with addresses in the form of the transport. */
export interface Target {
  readonly peer: PeerName;
  readonly addresses?: readonly string[];
}

/** Stream to one peer that carries messages in one direction. */
export interface OutgoingStream {
  /** Sends parts in order. Resolves when the transport accepts more: the back-pressure of a slow reader. */
  send(parts: readonly Uint8Array[], options: { readonly signal: AbortSignal }): Promise<void>;
  /** Ends the stream immediately and drops unsent bytes. */
  abort(reason: Error): void;
}

/** Stream from one peer. Chunks that are not read yet pause the sender. */
export interface IncomingStream extends AsyncIterable<Uint8Array> {
  abort(reason: Error): void;
}

export interface TransportEvents {
  onConnected(peer: PeerName): void;
  onDisconnected(peer: PeerName): void;
  onStream(peer: PeerName, stream: IncomingStream): void;
}

/** Port to the network. */
export interface BitswapTransport {
  /** Starts to report connections and incoming streams. Reports peers that are connected already. */
  start(events: TransportEvents): Promise<void>;
  /** Stops to report. Connections stay open: other protocols may use them. */
  stop(): Promise<void>;
  /** Opens a stream for messages to a peer, with a connection where there is none. */
  openStream(target: Target, options: { readonly signal: AbortSignal }): Promise<OutgoingStream>;
  /** Closes all connections to a peer. */
  disconnect(peer: PeerName): Promise<void>;
}

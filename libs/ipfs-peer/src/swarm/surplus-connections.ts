import type { Connection, Libp2p } from '@libp2p/interface';
import { peerLimits } from '../limits.ts';

type Connections = Pick<Libp2p, 'getConnections' | 'addEventListener' | 'removeEventListener'>;

export interface SurplusOptions {
  /** Number of connections at which some are closed. js-libp2p accepts no further ones at this number. */
  readonly max: number;
  /** Number of connections that stay. */
  readonly min: number;
  /** Reports whether connections of a peer always stay. */
  readonly isKept: (peer: string) => boolean;
  /** Returns the use of a peer, such as the bytes received from it. */
  readonly valueOf: (peer: string) => number;
  /** Default: that of {@link peerLimits}. */
  readonly graceMs?: number;
}

/**
 * Closes connections whenever the maximum is reached, so that new peers can connect: those of peers with the least value first,
 * among them those without streams, then the oldest. Returns a function that ends this.
 */
export function closeSurplusConnections(node: Connections, options: SurplusOptions): () => void {
  const { max, min, graceMs = peerLimits.connectionGraceMs } = options;
  let timer: NodeJS.Timeout | undefined;
  const closeSurplus = (): void => {
    timer = undefined;
    const connections = node.getConnections();
    if (connections.length < max) return;
    const surplus = rank(connections, options).slice(0, connections.length - min);
    for (const connection of surplus) connection.abort(new Error('The number of connections reached its maximum.'));
    // Younger connections stay for now.
    if (connections.length - surplus.length >= max) timer = setTimeout(closeSurplus, graceMs / 4).unref();
  };
  const onOpen = (): void => {
    if (timer === undefined && node.getConnections().length >= max) closeSurplus();
  };
  node.addEventListener('connection:open', onOpen);
  return () => {
    node.removeEventListener('connection:open', onOpen);
    clearTimeout(timer);
  };
}

/** Returns the connections that may be closed, the first one to close first. */
function rank(connections: readonly Connection[], options: SurplusOptions): Connection[] {
  const { graceMs = peerLimits.connectionGraceMs, isKept, valueOf: usefulness } = options;
  const opened = (connection: Connection) => connection.timeline.open;
  const youngest = Date.now() - graceMs;
  return connections
    .filter((connection) => opened(connection) <= youngest && !isKept(connection.remotePeer.toString()))
    .map((connection) => ({
      connection,
      isUsed: Number(connection.streams.length > 0),
      value: usefulness(connection.remotePeer.toString()),
    }))
    .sort((a, b) => a.value - b.value || a.isUsed - b.isUsed || opened(a.connection) - opened(b.connection))
    .map(({ connection }) => connection);
}

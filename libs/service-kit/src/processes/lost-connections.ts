import type { ChildProcess } from 'node:child_process';

interface Handle {
  close(): void;
}

/** Message of node:cluster that passes a connection to a process, and the answer to it. */
interface ClusterMessage {
  readonly cmd?: string;
  readonly act?: string;
  readonly seq?: number;
  readonly ack?: number;
}

type Send = (message: ClusterMessage, handle?: Handle, ...rest: unknown[]) => boolean;

/**
 * Closes connections that node:cluster passed to a process that ended before it took them. The primary process keeps them open
 * without a response otherwise, and their clients wait forever: node:cluster waits for an answer of the process, and has no event
 * for its absence. A client whose connection closes can repeat its request.
 */
export function closeLostConnections(child: ChildProcess): void {
  const passed = new Map<number, Handle>();
  const send: Send = child.send.bind(child) as Send;
  const observed: Send = (message, handle, ...rest) => {
    const { cmd, act, seq } = message;
    if (cmd === 'NODE_CLUSTER' && act === 'newconn' && seq !== undefined && handle) passed.set(seq, handle);
    return send(message, handle, ...rest);
  };
  child.send = observed as ChildProcess['send'];
  child.on('internalMessage', ({ cmd, ack }: ClusterMessage) => {
    if (cmd === 'NODE_CLUSTER' && ack !== undefined) passed.delete(ack);
  });
  child.once('exit', () => {
    for (const handle of passed.values()) handle.close();
    passed.clear();
  });
}

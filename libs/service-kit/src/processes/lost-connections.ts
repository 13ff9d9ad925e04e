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
  readonly accepted?: boolean;
}

type Send = (message: ClusterMessage, handle?: Handle, ...rest: unknown[]) => boolean;

/**
 * Passes connections that a process did not take before its end to another process, or closes them where no other process
 * serves. node:cluster waits for the answer of the ended process and keeps them open, so that their clients wait forever.
 * @param isServed reports whether another process takes connections
 */
export function passLostConnections(child: ChildProcess, isServed: () => boolean): void {
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
  const settle = () => {
    for (const [seq, handle] of passed) {
      passed.delete(seq);
      // The answer of a process that has closed its server: node:cluster passes the connection to the next process.
      const refused: ClusterMessage = { cmd: 'NODE_CLUSTER', ack: seq, accepted: false };
      if (isServed()) child.emit('internalMessage', refused);
      else handle.close();
    }
  };
  // A process answers before it reads from a connection, and its answers arrive before the end of its channel. node:cluster
  // forgets the process in the same turn.
  child.once('disconnect', () => setImmediate(settle));
  child.once('exit', () => {
    if (!child.connected) setImmediate(settle);
  });
}

// Loaded with --require into each worker process, before its own modules: node:cluster reports the start of the process to the
// primary process before any module can listen for the failure. Worker threads load it too, and have no channel.

/** Failures of a channel whose other end is closed. */
const closedCodes: ReadonlySet<unknown> = new Set(['EPIPE', 'ECONNRESET', 'ERR_IPC_CHANNEL_CLOSED']);

if (process.connected) {
  const { worker }: import('node:cluster').Cluster = require('node:cluster');
  worker?.on('error', (error: NodeJS.ErrnoException) => {
    if (!closedCodes.has(error.code)) throw error;
    // Exit would wait for an open LMDB transaction, as in endWithPrimary.
    process.kill(process.pid, 'SIGKILL');
  });
}

/** Exit code of a process that a signal has ended, as shells report it. */
const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Ends this process immediately by the default action of the signal. `process.exit` would wait for an open LMDB transaction, which
 * may wait for this thread or for another process: the service would stay and keep the write lock of its store.
 */
export function endBySignal(signal: keyof typeof exitCodes): never {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // The first process of a container has no default action.
  process.exit(exitCodes[signal]);
}

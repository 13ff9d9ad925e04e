import type { ComponentLogger, Logger } from '@libp2p/interface';

const ignore = () => {};

/** Logger that writes nothing, in every scope. */
const silent: Logger = Object.assign(() => {}, {
  error: ignore,
  trace: ignore,
  enabled: false,
  newScope: () => silent,
});

/**
 * Loggers for a node that reports through events and errors only. js-libp2p's own one creates three loggers for each stream, and
 * asks the terminal for its colours each time, also when nothing is logged. Kubo opens a stream for each block.
 */
export const silentLogger: ComponentLogger = { forComponent: () => silent };

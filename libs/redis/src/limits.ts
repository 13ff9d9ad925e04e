/** Limits of one process; times in milliseconds. */
export const redisLimits = {
  /** Time of one command. A request that needs tokens waits at most this long. */
  commandMs: 500,
  /** Time to connect and to identify the server. */
  connectMs: 2000,
  /** Commands that wait for an answer of one server. More are refused, so that a slow server fills no memory. */
  pendingMax: 10_000,
  /** First pause between attempts to connect. It doubles, with jitter. */
  pauseMs: 50,
  pauseMsMax: 500,
  /** Servers that one command may be sent to while slots of a cluster move. */
  redirectsMax: 5,
} as const;

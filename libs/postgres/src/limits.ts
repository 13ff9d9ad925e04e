/** Limits of one process; times in milliseconds. */
export const postgresLimits = {
  /** Connections. A server with 100 connections serves several processes. */
  connectionsMax: 16,
  /** Time to get a connection. A request must not wait longer for a server that is away. */
  connectMs: 3000,
  /** Time of one statement, enforced by the server and, for a server that hangs, by the client. */
  statementMs: 10_000,
  /** Time to connect for a migration: a start may wait for a busy server, since no request does. */
  migrationConnectMs: 30_000,
  /** Time of one statement of a migration. */
  migrationStatementMs: 3_600_000,
  /** Attempts of a transaction that conflicts with others. */
  attemptsMax: 8,
  /** First pause between attempts. It doubles, with jitter. */
  pauseMs: 5,
  /** Pause between attempts to listen again after a lost connection. */
  listenPauseMs: 200,
  listenPauseMsMax: 5000,
} as const;

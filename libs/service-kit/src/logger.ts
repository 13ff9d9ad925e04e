import { EventEmitter } from 'node:events';
import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';

export type { Logger };

export interface LoggerOptions {
  /** Name of the service, on every line. */
  readonly name: string;
  readonly level: string;
  /** Place of the process in a service of several processes, on every line of it. */
  readonly slot?: number | undefined;
  /** Writes lines for people rather than machines. Default: when standard output is a terminal. */
  readonly isPretty?: boolean;
}

/** Paths of values that are redacted in every logged object. */
const redacted = ['authorization', 'secret', 'password', 'req.headers.authorization', 'headers.authorization'];

/** Writes one JSON line per event to standard output; readable lines on a terminal. */
export function createLogger({ name, level, slot, isPretty = process.stdout.isTTY }: LoggerOptions): Logger {
  const base = { service: name, ...(slot !== undefined && { slot }) };
  const options = { name, level, redact: { paths: redacted, censor: '[redacted]' }, base };
  return isPretty
    ? pino(options, pretty({ ignore: 'service,pid,hostname', translateTime: 'HH:MM:ss' }))
    : pino(options);
}

/** Time in milliseconds that a line has to be written. */
const writtenMs = 200;

/**
 * Writes a line. Resolves when it is written, or its reader has ended, at the latest after 200 ms. A process does this before it ends:
 * at the exit sonic-boom 4 repeats a write to a closed pipe forever, unless it has reported the failure before. It does not wait
 * between the close of its stores and its exit, because work in the background could open a transaction there.
 */
export function logWritten(logger: Logger, level: 'debug' | 'info', message: string, fields = {}): Promise<void> {
  const stream = (logger as unknown as Record<symbol, unknown>)[pino.symbols.streamSym];
  logger[level](fields, message);
  if (!logger.isLevelEnabled(level) || !(stream instanceof EventEmitter)) return Promise.resolve();
  return new Promise((resolve) => {
    const settle = () => {
      clearTimeout(timer);
      stream.off('drain', settle).off('error', settle);
      resolve();
    };
    const timer = setTimeout(settle, writtenMs);
    stream.on('drain', settle).on('error', settle);
  });
}

type NestWrite = (message: unknown, context?: unknown) => void;

/** The `LoggerService` of Nest. Declared here, since programs without Nest import this entry, too. */
export type NestLogger = Readonly<Record<'log' | 'debug' | 'verbose' | 'warn' | 'error', NestWrite>>;

/** Writes Nest's messages through the same logger. Its messages about modules are at debug. */
export function nestLogger(logger: Logger): NestLogger {
  const write =
    (level: 'debug' | 'warn' | 'error'): NestWrite =>
    (message, context) => {
      logger[level]({ context: typeof context === 'string' ? context : undefined }, String(message));
    };
  return {
    log: write('debug'),
    debug: write('debug'),
    verbose: write('debug'),
    warn: write('warn'),
    error: write('error'),
  };
}

import { CairnError } from '@cairn/errors';
import { CommanderError } from 'commander';

/** Exit codes of the command. */
export const exitCodes = {
  done: 0,
  /** The command failed, or a check found a fault. */
  failed: 1,
  /** The arguments or options are wrong. Nothing was done. */
  usage: 2,
  /** Settings, credentials or the networks file are wrong. Nothing was done. */
  settings: 3,
  /** The named account, key or file does not exist. */
  notFound: 4,
  /** The name is taken, or the state forbids the change. */
  conflict: 5,
  /** A store, engine, service or remote server does not answer or is busy. The same command may succeed later. */
  unavailable: 6,
} as const;

/** The first pattern that matches the code of an error decides. */
const patterns: readonly (readonly [RegExp, number])[] = [
  [
    /^(SETTINGS|NETWORKS|UPSTREAM_CONFIG|LIGHT_CLIENT_CONFIG|POSTGRES_URL|REDIS_URL|OBJECT_STORE_URL)_INVALID$/,
    exitCodes.settings,
  ],
  [/^(SECRETS_KEY_UNUSABLE|ACCESS_REFUSED|OBJECT_STORE_MISSING)$/, exitCodes.settings],
  [/^(USAGE|TARGET|VALUE|PLAN|MONTH|PASSWORD|WEBHOOK_URL|CID|PINS)_(INVALID|WEAK)$/, exitCodes.usage],
  [/_NOT_FOUND$|_UNKNOWN$|^BACKUP_EMPTY$/, exitCodes.notFound],
  [/_EXISTS$|_NOT_EMPTY$|^(KEY_REVOKED|PLAN_REQUIRED|STORE_IN_USE|HOME_INCOMPLETE)$/, exitCodes.conflict],
  [/_(UNAVAILABLE|UNREACHABLE|BUSY|TIMEOUT)$/, exitCodes.unavailable],
];

/** Chooses the exit code of an error that ends the command. */
export function exitCodeOf(error: unknown): number {
  // Its own code is 0 for --help and --version, and 1 for every mistake.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
  if (!(error instanceof CairnError)) return exitCodes.failed;
  // An outcome that is unknown is no missing thing.
  if (error.code.endsWith('OUTCOME_UNKNOWN')) return exitCodes.failed;
  return patterns.find(([pattern]) => pattern.test(error.code))?.[1] ?? exitCodes.failed;
}

/** Wrong combination of options. */
export class UsageError extends CairnError<'USAGE_INVALID'> {
  constructor(message: string) {
    super('USAGE_INVALID', message);
  }
}

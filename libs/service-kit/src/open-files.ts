import { readFileSync } from 'node:fs';

/** Open files that a busy service needs: each connection, store and chain uses some. */
const openFilesMin = 4_096;

/**
 * Returns advice where the system allows this process too few open files; undefined where it allows enough or
 * reports no limit.
 * @param limits text of /proc/self/limits. Node has raised the soft limit to the hard one already.
 */
export function openFilesAdvice(limits: string): string | undefined {
  const [, soft] = /^Max open files\s+(\d+|unlimited)/m.exec(limits) ?? [];
  if (soft === undefined || soft === 'unlimited' || Number(soft) >= openFilesMin) return undefined;
  return `The system allows ${soft} open files, which ends in refused connections under load. Raise the limit to ${openFilesMin} or more: \`ulimit -n 65536\`, or LimitNOFILE= of the unit.`;
}

/** Returns the advice for this process. */
export function ownOpenFilesAdvice(): string | undefined {
  try {
    return openFilesAdvice(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    // Other systems have no such file.
    return undefined;
  }
}

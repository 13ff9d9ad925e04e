import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CairnError } from '@cairn/errors';

/**
 * Requires that no process has a store open. LMDB holds a POSIX lock on its lock file, which Linux lists in /proc/locks. On
 * other systems, and for processes of another PID namespace, an open store is not detected.
 * @throws STORE_IN_USE
 */
export function requireUnused(directory: string): void {
  const file = statSync(join(directory, 'lock.mdb'), { throwIfNoEntry: false });
  if (file === undefined) return;
  const pid = holderOf(file.ino, readLocks());
  if (pid === undefined) return;
  throw new CairnError('STORE_IN_USE', `The store ${directory} is open in the process ${pid}.`, {
    hint: 'Stop the services, then run the command again.',
  });
}

/** Process that holds a lock on the file of an inode: `1: POSIX  ADVISORY  READ 4711 fe:00:815 0 0`. */
export function holderOf(inode: number, locks: string): string | undefined {
  for (const line of locks.split('\n')) {
    const [, pid, held] = /^\d+: POSIX\s+ADVISORY\s+\w+\s+(\d+)\s+\w+:\w+:(\d+)\s/.exec(line) ?? [];
    if (held === String(inode)) return pid;
  }
  return undefined;
}

function readLocks(): string {
  try {
    return readFileSync('/proc/locks', 'utf8');
  } catch {
    return '';
  }
}

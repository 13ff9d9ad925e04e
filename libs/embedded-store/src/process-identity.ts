import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** What tells this process from every other one, also from a later one with the same number. */
export interface ProcessIdentity {
  /** Where process numbers mean the same: host, boot and PID namespace. */
  readonly realm: string;
  readonly pid: number;
  /** When the process began, in ticks since boot; empty where the system does not tell. */
  readonly began: string;
  /** Distinct for every call of {@link processIdentity}. */
  readonly token: string;
}

/** The identity of this process, with a token of its own. */
export function processIdentity(): ProcessIdentity {
  return { realm: realm(), pid: process.pid, began: beginning(process.pid) ?? '', token: randomUUID() };
}

/** True where it is certain that the process has ended. One of another host or container is never certain. */
export function hasExited({ realm: where, pid, began }: ProcessIdentity): boolean {
  if (where !== realm()) return false;
  if (began !== '') return beginning(pid) !== began;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Object && 'code' in error && error.code === 'ESRCH';
  }
}

/** The namespace in which this process has its number, such as `pid:[4026531836]`; empty where the system has none. */
export function pidNamespace(): string {
  return orEmpty(() => readlinkSync('/proc/self/ns/pid'));
}

/** One text for all threads of this process, and for no other process on this machine. */
export function processName(): string {
  return `${realm()} ${process.pid} ${beginning(process.pid) ?? ''}`;
}

let knownRealm: string | undefined;

function realm(): string {
  if (knownRealm === undefined) {
    const boot = orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
    // Containers of one pod share the namespace and have names of their own, so the name counts only where there is no better.
    knownRealm = boot === '' ? hostname() : `${boot} ${pidNamespace()}`;
  }
  return knownRealm;
}

/** Field 22 of /proc/PID/stat (proc(5)); the name of the program before it may hold spaces and parentheses. */
function beginning(pid: number): string | undefined {
  const stat = orEmpty(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  return stat === '' ? undefined : stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

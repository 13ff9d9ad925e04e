import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Distinguishes a process from every other one, including a later one with the same number. */
export interface ProcessIdentity {
  /** Scope in which process numbers are unique: host, boot and PID namespace. */
  readonly realm: string;
  readonly pid: number;
  /** Start time in ticks since boot; empty where the system does not provide it. */
  readonly began: string;
  /** Unique for every call of {@link processIdentity}. */
  readonly token: string;
}

/** Returns the identity of this process with a new token. */
export function processIdentity(): ProcessIdentity {
  return { realm: realm(), pid: process.pid, began: beginning(process.pid) ?? '', token: randomUUID() };
}

/** Reports whether this process can see whether the other one has ended: both are on one host and in one PID namespace. */
export function isObservable({ realm: realmOfProcess }: ProcessIdentity): boolean {
  return realmOfProcess === realm();
}

/** Reports whether the process has certainly ended. Always false for a process of another host or container. */
export function hasExited(identity: ProcessIdentity): boolean {
  const { pid, began } = identity;
  if (!isObservable(identity)) return false;
  if (began !== '') return beginning(pid) !== began;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Object && 'code' in error && error.code === 'ESRCH';
  }
}

/** Returns the PID namespace of this process, such as `pid:[4026531836]`; empty on a system without namespaces. */
export function pidNamespace(): string {
  return orEmpty(() => readlinkSync('/proc/self/ns/pid'));
}

/** Returns a name that all threads of this process share and no other process on this machine has. */
export function processName(): string {
  return `${realm()} ${process.pid} ${beginning(process.pid) ?? ''}`;
}

let knownRealm: string | undefined;

function realm(): string {
  if (knownRealm === undefined) {
    const boot = orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
    // Containers of one pod share the namespace but not the host name, so the host name is only the fallback.
    knownRealm = boot === '' ? hostname() : `${boot} ${pidNamespace()}`;
  }
  return knownRealm;
}

/** Reads field 22 of /proc/PID/stat (proc(5)). The program name before it may contain spaces and parentheses. */
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

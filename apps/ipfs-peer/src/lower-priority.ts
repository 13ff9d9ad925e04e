import { setPriority } from 'node:os';

/**
 * Niceness of the process: about a third of the CPU share of a service that wants the same core. Strangers decide how much work
 * the peer has, and accounts wait for the services.
 */
const niceness = 5;

/** Lets the services of the machine run first. Where it is not allowed, such as in some sandboxes, the peer runs as before. */
export function lowerPriority(set: (niceness: number) => void = setPriority): void {
  try {
    set(niceness);
  } catch {
    // An optimization only.
  }
}

import { randomBytes } from 'node:crypto';
import type { ProcessGroup, SharedFunctions } from './process-group.ts';

/** Key of 32 random bytes that the processes of a service share until its primary process ends. */
export interface SharedKey {
  /** Creates the key, in the primary process: for `shared` of `runService`. */
  functions(): SharedFunctions;
  /** Returns the key, in a process of a group. @throws PROCESS_CALL_FAILED */
  of(group: Pick<ProcessGroup, 'call'>): Promise<unknown>;
}

/** Names a shared key. The entry of the service and its module use the same one. */
export function createSharedKey(name: string): SharedKey {
  return {
    functions() {
      const key = randomBytes(32);
      return { [name]: () => key };
    },
    of: (group) => group.call(name),
  };
}

import { realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { errorText } from '@cairn/errors';
import { openWatches } from './shared-root.ts';

/** A store that is open in this thread. */
export interface StoreState {
  /** Its directory, seen from the home. */
  readonly name: string;
  /** Reason for which every use of it is refused: its data file was truncated, replaced or removed. */
  readonly problem?: string | undefined;
}

/** States of the stores that are open in this thread, for readiness. Costs one `stat` each. */
export function storeStates(home: string): readonly StoreState[] {
  const watches = [...openWatches()];
  const root = watches.length === 0 ? home : realHome(home);
  return watches.map(([directory, watch]) => {
    const problem = watch.check();
    return { name: relative(root, directory), ...(problem && { problem: errorText(problem) }) };
  });
}

/** The home may be gone with its stores. */
function realHome(home: string): string {
  try {
    return realpathSync(home);
  } catch {
    return home;
  }
}

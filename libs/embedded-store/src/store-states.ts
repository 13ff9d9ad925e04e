import { realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { errorText } from '@cairn/errors';
import { openWatches } from './shared-root.ts';

/** A store that is open in this thread. */
export interface StoreState {
  /** Directory relative to the home. */
  readonly name: string;
  /** Reason why every use is refused: the data file was truncated, replaced or removed. */
  readonly problem?: string | undefined;
}

/** Returns the states of the stores that are open in this thread, for readiness. One `stat` per store. */
export function storeStates(home: string): readonly StoreState[] {
  const watches = [...openWatches()];
  const root = watches.length === 0 ? home : realHome(home);
  return watches.map(([directory, watch]) => {
    const problem = watch.check();
    return { name: relative(root, directory), ...(problem && { problem: errorText(problem) }) };
  });
}

/** Resolves links of the home. Returns the path unchanged if the home was removed. */
function realHome(home: string): string {
  try {
    return realpathSync(home);
  } catch {
    return home;
  }
}

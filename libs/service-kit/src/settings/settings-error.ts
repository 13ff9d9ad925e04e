import { CairnError } from '@cairn/errors';

/** One thing wrong with the settings. */
export interface SettingsProblem {
  /** Name of the setting, or of the file. */
  readonly key: string;
  readonly problem: string;
}

/** The settings cannot be used; every problem is listed, no value of a secret is shown. */
export class SettingsError extends CairnError<'SETTINGS_INVALID'> {
  readonly problems: readonly SettingsProblem[];

  constructor(problems: readonly SettingsProblem[]) {
    const lines = problems.map(({ key, problem }) => `  ${key}: ${problem}`);
    super('SETTINGS_INVALID', `The settings cannot be used:\n${lines.join('\n')}`, { details: { problems } });
    this.problems = problems;
  }
}

/** The known name most like an unknown one, when it is like enough to be what was meant. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const ranked = known.map((candidate) => ({ candidate, distance: editDistance(name.slice(0, 64), candidate) }));
  ranked.sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  return best && best.distance <= Math.max(2, name.length / 4) ? best.candidate : undefined;
}

/**
 * Reports whether a name of the environment was meant as one of ours: it has a first word of ours and differs in two letters at
 * most. Other programs and Kubernetes set names with these words too.
 */
export function isMisspelled(name: string, known: readonly string[]): boolean {
  return /^(STORAGE|IPFS|RPC|CONSOLE)_/.test(name) && known.some((candidate) => editDistance(name, candidate) <= 2);
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

import type { CliOutcome, CliSide } from './cli-side.ts';
import type { CliStep } from './cli-step.ts';

const shownCharactersMax = 1000;

/** Runs one command against both sides. Returns a text with both outcomes where they differ. */
export async function compareStep(step: CliStep, cairn: CliSide, peer: CliSide): Promise<string | undefined> {
  if (step.refused !== undefined) {
    const outcome = await cairn.run(step);
    const isRefused = outcome.exitCode === 1 && outcome.stdout === '' && step.refused.test(outcome.stderr);
    return isRefused ? undefined : describe(step, { cairn: text(outcome), expected: `a refusal, ${step.refused}` });
  }
  const [ours, theirs] = await Promise.all([cairn.run(step), peer.run(step)]);
  const [one, other] = [ours, theirs].map((outcome) => compared(outcome, step));
  return one === other ? undefined : describe(step, { cairn: one ?? '', kubo: other ?? '' });
}

function compared(
  outcome: CliOutcome,
  { onlyExit, isUnordered = false, isRepeatable = false, varying }: CliStep,
): string {
  if (onlyExit !== undefined) return `exit code ${outcome.exitCode}`;
  let lines = outcome.stdout.split('\n');
  if (varying !== undefined) lines = lines.map((line) => line.replaceAll(varying, '<any>'));
  if (isUnordered) lines.sort();
  if (isRepeatable) lines = [...new Set(lines)];
  const shown = text({ ...outcome, stdout: lines.join('\n') });
  return varying === undefined ? shown : shown.replaceAll(varying, '<any>');
}

function text({ exitCode, stdout, stderr, files }: CliOutcome): string {
  return [`exit code ${exitCode}`, stdout, stderr, ...files].join('\n');
}

/** Shows both sides from the first line that differs. */
function describe({ line }: CliStep, sides: Readonly<Record<string, string>>): string {
  const texts = Object.values(sides).map((side) => side.split('\n'));
  const first = texts[0]?.findIndex((each, index) => texts.some((other) => other[index] !== each)) ?? 0;
  const from = Math.max(0, first);
  const parts = Object.entries(sides).map(([side, text]) => {
    const shown = text.split('\n').slice(from).join('\n').slice(0, shownCharactersMax).trim();
    return `  ${side}, line ${from + 1}: ${shown.replaceAll('\n', '\n    ')}`;
  });
  return [`$ ipfs ${line}`, ...parts].join('\n');
}

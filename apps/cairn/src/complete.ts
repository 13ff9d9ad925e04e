import type { Command } from 'commander';
import { createProgram } from './program.ts';

/** A word that may come next, with its description. */
export interface Completion {
  readonly name: string;
  readonly description: string;
}

/**
 * Returns the commands and options that may follow the complete words of a line, without the word `cairn`. Loads the module of
 * the named command only, and opens no store.
 */
export async function complete(words: readonly string[]): Promise<Completion[]> {
  const program = await createProgram(words);
  let command: Command = program;
  let isOptionValue = false;
  for (const word of words) {
    if (isOptionValue) {
      isOptionValue = false;
      continue;
    }
    const option = command.options.find(({ long, short }) => word === long || word === short);
    if (option) isOptionValue = option.required;
    else command = command.commands.find((each) => each.name() === word) ?? command;
  }
  // A shell completes file names where nothing is known.
  if (isOptionValue) return [];
  const commands = command.commands.map((each) => ({ name: each.name(), description: each.description() }));
  const used = new Set(words);
  const options = command.options
    .filter(({ long }) => long !== undefined && !used.has(long))
    .map(({ long, description }) => ({ name: long ?? '', description }));
  const help = command === program && words.length > 0 ? [] : [{ name: '--help', description: 'Shows the usage.' }];
  return [...commands, ...options, ...help];
}

/** Answers a completion script of a shell: `cairn completion-server -- <words of the line>`, with COMP_* in the environment. */
export async function serveCompletion(): Promise<void> {
  const { getShellFromEnv, log, parseEnv } = (await import('@pnpm/tabtab')).default;
  const { partial } = parseEnv(process.env);
  const words = partial.split(/\s+/).slice(1, -1);
  log(await complete(words), getShellFromEnv(process.env));
}

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { Command } from 'commander';
import { createProgram } from './program.ts';
import { topCommandNames } from './top-commands.ts';

test.each(topCommandNames)(
  '%s has its action or commands where the arguments name it, and all others are listed',
  async (name) => {
    const program = await createProgram([name]);
    expect(program.commands.map((command) => command.name()).sort()).toEqual([...topCommandNames].sort());
    const command = program.commands.find((each) => each.name() === name);
    expect((command?.options.length ?? 0) + (command?.commands.length ?? 0) > 0).toBe(true);
    const helped = await createProgram(['help', name]);
    expect(helped.commands.find((each) => each.name() === name)?.helpInformation()).toBe(command?.helpInformation());
  },
);

test.each(topCommandNames)('%s and its commands take --json', async (name) => {
  const program = await createProgram([name]);
  const endsOf = (command: Command): Command[] =>
    command.commands.length === 0 ? [command] : command.commands.flatMap(endsOf);
  const ends = endsOf(program.commands.find((each) => each.name() === name) ?? program);
  expect(ends.filter(({ options }) => !options.some(({ long }) => long === '--json')).map((end) => end.name())).toEqual(
    [],
  );
});

test('--help loads no command', async () => {
  const program = await createProgram(['--help']);
  expect(program.commands.map((command) => command.name())).toEqual(topCommandNames);
  expect(program.commands.flatMap(({ options, commands }) => [...options, ...commands])).toEqual([]);
});

test('the modules that every command loads import only commander and the errors', () => {
  const seen = new Set<string>();
  const packages = new Set<string>();
  const follow = (name: string) => {
    if (seen.has(name)) return;
    seen.add(name);
    // Static imports only: `import type` has no effect at run time, and `import()` runs on demand.
    for (const [, from = ''] of readFileSync(join(import.meta.dirname, name), 'utf8').matchAll(
      /^import (?!type )[^;]*?from '([^']+)'/gms,
    ))
      if (from.endsWith('.ts')) follow(join(dirname(name), from));
      else packages.add(from);
  };
  follow('main.ts');
  expect([...packages].sort()).toEqual(['../package.json', '@cairn/errors', 'commander', 'node:util']);
  expect([...seen].sort()).toEqual([
    'exit-codes.ts',
    'main.ts',
    'paint.ts',
    'program.ts',
    'report-error.ts',
    'top-commands.ts',
  ]);
});

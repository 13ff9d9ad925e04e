import { expect, test } from '@jest/globals';
import { createProgram } from './program.ts';
import { topCommandNames } from './top-commands.ts';

test.each(topCommandNames)(
  '%s has its action or commands where the arguments name it, and all others are listed',
  async (name) => {
    const program = await createProgram([name]);
    expect(program.commands.map((command) => command.name()).sort()).toEqual([...topCommandNames].sort());
    const command = program.commands.find((each) => each.name() === name);
    expect((command?.options.length ?? 0) + (command?.commands.length ?? 0) > 0 || name === 'import').toBe(true);
    const helped = await createProgram(['help', name]);
    expect(helped.commands.find((each) => each.name() === name)?.helpInformation()).toBe(command?.helpInformation());
  },
);

test('--help loads no command', async () => {
  const program = await createProgram(['--help']);
  expect(program.commands.map((command) => command.name())).toEqual(topCommandNames);
  expect(program.commands.flatMap(({ options, commands }) => [...options, ...commands])).toEqual([]);
});

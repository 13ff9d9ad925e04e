import { type Command, InvalidArgumentError } from 'commander';
import { print } from '../print.ts';
import { topCommand } from '../top-commands.ts';

const shells = ['bash', 'zsh', 'fish', 'pwsh'] as const;
type Shell = (typeof shells)[number];

/** `cairn completion <shell>` */
export function addCompletionCommand(program: Command): void {
  const command = topCommand(program, 'completion');
  command
    .argument('<shell>', `one of ${shells.join(', ')}`, shell)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nbash: cairn completion bash > ~/.local/share/bash-completion/completions/cairn\nzsh:  cairn completion zsh > a file that ~/.zshrc sources, after compinit\nfish: cairn completion fish > ~/.config/fish/completions/cairn.fish\npwsh: cairn completion pwsh >> $PROFILE',
    )
    .action(async (wanted: Shell, options: { readonly json?: boolean }) => {
      const { getCompletionScript } = (await import('@pnpm/tabtab')).default;
      const script = await getCompletionScript({ name: 'cairn', completer: 'cairn', shell: wanted });
      print({ shell: wanted, script }, options, [script.trimEnd()]);
    });
}

function shell(text: string): Shell {
  const found = shells.find((each) => each === text);
  if (found) return found;
  throw new InvalidArgumentError(`Expected one of ${shells.join(', ')}.`);
}

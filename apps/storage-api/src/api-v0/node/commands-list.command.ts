import type { Command, CommandContext } from '../command.ts';
import { globalOptions } from '../global-options.ts';
import type { OptionSpecs } from '../options.ts';
import { sendJson } from '../write.ts';

type Listed = Pick<Command, 'name' | 'options'>;

/** One command of the response, with its subcommands. */
interface CommandTree {
  readonly Name: string;
  readonly Subcommands: CommandTree[];
  readonly Options: readonly { readonly Names: readonly string[] }[];
}

// The CLI prints options only on request; the response always has them.
const options = { flags: { kind: 'boolean', alias: 'f' } } as const;

/** `commands`: lists the commands of this service as a tree. */
export class CommandsListCommand implements Command<typeof options> {
  readonly name = 'commands';
  readonly scope = 'read';
  readonly args = { name: '', min: 0, max: 0 };
  readonly options = options;
  readonly #tree: CommandTree;

  constructor(commands: readonly Listed[]) {
    this.#tree = treeOf([...commands, this]);
  }

  async run({ response }: CommandContext<typeof options>): Promise<void> {
    sendJson(response, this.#tree);
  }
}

function treeOf(commands: readonly Listed[]): CommandTree {
  const root: CommandTree = { Name: 'ipfs', Subcommands: [], Options: optionsOf(globalOptions) };
  const sorted = [...commands].sort((one, other) => (one.name < other.name ? -1 : 1));
  for (const { name, options } of sorted) {
    const parts = name.split('/');
    const parent = parts.slice(0, -1).reduce((tree, part) => childOf(tree, part, {}), root);
    childOf(parent, parts.at(-1) ?? '', options);
  }
  return root;
}

function childOf({ Subcommands }: CommandTree, name: string, options: OptionSpecs): CommandTree {
  const known = Subcommands.find(({ Name }) => Name === name);
  if (known !== undefined) return known;
  const made = { Name: name, Subcommands: [], Options: optionsOf(options) };
  Subcommands.push(made);
  return made;
}

function optionsOf(specs: OptionSpecs) {
  return Object.entries(specs)
    .filter(([, { kind }]) => kind !== 'refused')
    .map(([name, { alias }]) => ({ Names: alias === undefined ? [name] : [name, alias] }));
}

import { changeMode, type ModeChange, parseModeChange, parseTreePath } from '@cairn/mfs';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { modeFromGo } from '../go-metadata.ts';
import { argument } from '../paths.ts';
import { endLines } from '../write.ts';
import { Files } from './files.ts';
import { flushOption } from './flush-option.ts';

const options = { ...flushOption, mode: { kind: 'text' }, recursive: { kind: 'boolean', default: false } } as const;

/**
 * `files/chmod`: the mode is Kubo's first argument, in octal digits. JavaScript clients send it as the option `mode`
 * beside one argument, which Kubo refuses. In that form it may be symbolic, and `recursive`.
 */
@Injectable()
export class FilesChmodCommand implements Command<typeof options> {
  readonly name = 'files/chmod';
  readonly scope = 'add';
  readonly args = { name: ['mode', 'path'], min: 1, max: 2 };
  readonly options = options;

  constructor(@Inject(Files) private readonly files: Files) {}

  async run(context: CommandContext<typeof options>): Promise<void> {
    const { principal, args, response, signal } = context;
    const { mode } = context.options;
    const isOption = mode !== undefined && args.length === 1;
    const path = parseTreePath(argument(args, isOption ? 0 : 1, 'path'));
    const change = isOption ? parseModeChange(mode) : parseGoMode(argument(args, 0, 'mode'));
    const recursive = isOption && context.options.recursive;
    await this.files.change(principal, signal, (tree) => changeMode(tree, path, change, { recursive }), {
      isGrowing: false,
    });
    endLines(response);
  }
}

/**
 * Parses a mode as Kubo does: the octal digits are bits of Go's `os.FileMode`, so 4755 is 0755.
 * @throws ApiError 400
 */
function parseGoMode(text: string): ModeChange {
  const fails = (reason: string) => new ApiError(400, `strconv.ParseInt: parsing ${JSON.stringify(text)}: ${reason}`);
  if (!/^[-+]?[0-7]{1,64}$/.test(text)) throw fails('invalid syntax');
  const bits = Number.parseInt(text, 8);
  if (bits > 0x7fff_ffff || bits < -0x8000_0000) throw fails('value out of range');
  const mode = modeFromGo(bits);
  return () => mode;
}

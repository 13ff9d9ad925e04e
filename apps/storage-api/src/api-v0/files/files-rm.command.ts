import { errorText, isCairnError } from '@cairn/errors';
import { parseTreePath, remove, type TreePath } from '@cairn/mfs';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { apiErrorFrom } from '../error-policy.ts';
import { endLines, writeLine } from '../write.ts';
import { Files } from './files.ts';
import { flushOption } from './flush-option.ts';

const options = {
  ...flushOption,
  recursive: { kind: 'boolean', alias: 'r', default: false },
  force: { kind: 'boolean', default: false },
} as const;

/**
 * `files/rm`: removes files and directories. As in Kubo, each path that cannot be removed has a line, and the others
 * are removed.
 */
@Injectable()
export class FilesRmCommand implements Command<typeof options> {
  readonly name = 'files/rm';
  readonly scope = 'pin';
  readonly args = { name: 'path', min: 1, max: 1000 };
  readonly worksOnDenied = true;
  readonly options = options;

  constructor(@Inject(Files) private readonly files: Files) {}

  async run({ principal, args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    if (!chosen.flush)
      throw new ApiError(
        500,
        'files rm always flushes for safety. The --flush flag cannot be set to false for this command',
      );
    const how = { recursive: chosen.recursive, force: chosen.force };
    let failures: string[] = [];
    await this.files.change(
      principal,
      signal,
      async (tree) => {
        // The change may run again on a newer tree.
        failures = [];
        for (const arg of args) {
          const failure = await failureOf(
            () => parseTreePath(arg),
            (path) => remove(tree, path, how),
            arg,
          );
          if (failure !== undefined) failures.push(failure);
        }
      },
      { isGrowing: false },
    );
    if (failures.length === 0) return endLines(response);
    for (const failure of failures) await writeLine(response, failure, signal);
    throw new ApiError(500, "can't remove some files");
  }
}

/** Kubo's line for a path that stays; nothing for one that is removed. */
async function failureOf(
  parse: () => TreePath,
  act: (path: TreePath) => Promise<void>,
  given: string,
): Promise<string | undefined> {
  let path: TreePath | undefined;
  try {
    path = parse();
    await act(path);
    return undefined;
  } catch (error) {
    if (!isCairnError(error)) throw error;
    const words = apiErrorFrom(error)?.message ?? errorText(error);
    return path === undefined ? `${given} is not a valid path: ${words}` : `${path.text}: ${words}`;
  }
}

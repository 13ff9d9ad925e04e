import { parseTreePath, touch } from '@cairn/mfs';
import { Inject, Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { argument } from '../paths.ts';
import { endLines } from '../write.ts';
import { Files } from './files.ts';
import { flushOption } from './flush-option.ts';

const most = Number.MAX_SAFE_INTEGER;
const options = {
  ...flushOption,
  mtime: { kind: 'integer', type: 'int64', min: -most, max: most },
  'mtime-nsecs': { kind: 'integer', type: 'uint', default: 0, min: 0, max: most },
} as const;

const nanosecondsPerSecond = 1_000_000_000;

/** `files/touch`: sets the time of a file or directory: the given one, or now. */
@Injectable()
export class FilesTouchCommand implements Command<typeof options> {
  readonly name = 'files/touch';
  readonly scope = 'add';
  readonly args = { name: 'path', min: 1, max: 1 };
  readonly options = options;

  constructor(@Inject(Files) private readonly files: Files) {}

  async run({ principal, args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const path = parseTreePath(argument(args, 0, 'path'));
    const mtime = timeOf(chosen.mtime, chosen['mtime-nsecs']);
    await this.files.change(principal, signal, (tree) => touch(tree, path, mtime));
    endLines(response);
  }
}

/** In Kubo a time of 0 means none, and nanoseconds beyond a second are added as seconds. */
function timeOf(seconds: number | undefined, nanoseconds: number) {
  if (!seconds) {
    const now = Date.now();
    return { seconds: Math.floor(now / 1000), nanoseconds: (now % 1000) * 1_000_000 };
  }
  const carried = Math.floor(nanoseconds / nanosecondsPerSecond);
  return { seconds: seconds + carried, nanoseconds: nanoseconds - carried * nanosecondsPerSecond };
}

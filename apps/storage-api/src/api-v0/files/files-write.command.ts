import { type Content, namingFrom, parseTreePath, receiveContent, writeFile } from '@cairn/mfs';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import type { StorageSettings } from '../../settings.ts';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { readParts } from '../multipart.ts';
import { namingFor, namingOptions } from '../naming.ts';
import { argument } from '../paths.ts';
import { Uploads } from '../uploads.ts';
import { endLines } from '../write.ts';
import { Files } from './files.ts';
import { flushOption } from './flush-option.ts';

const most = Number.MAX_SAFE_INTEGER;
const options = {
  ...flushOption,
  offset: { kind: 'integer', type: 'int64', alias: 'o', default: 0, min: -most, max: most },
  count: { kind: 'integer', type: 'int64', alias: 'n', min: -most, max: most },
  create: { kind: 'boolean', alias: 'e', default: false },
  parents: { kind: 'boolean', alias: 'p', default: false },
  truncate: { kind: 'boolean', alias: 't', default: false },
  'raw-leaves': { kind: 'boolean' },
  ...namingOptions,
} as const;

/**
 * `files/write`: writes into a file. The body is received first, then the tree changes in one step: a reader sees
 * the file before or after it.
 */
@Injectable()
export class FilesWriteCommand implements Command<typeof options> {
  readonly name = 'files/write';
  readonly scope = 'add';
  readonly args = { name: 'path', min: 1, max: 1 };
  readonly file = 'data';
  readonly options = options;

  constructor(
    @Inject(Files) private readonly files: Files,
    @Inject(Uploads) private readonly uploads: Uploads,
    @Inject(SETTINGS) private readonly settings: StorageSettings,
  ) {}

  async run(context: CommandContext<typeof options>): Promise<void> {
    const { principal, args, request, response, signal } = context;
    const { offset, count, create, parents, truncate } = context.options;
    const path = parseTreePath(argument(args, 0, 'path'));
    const naming = namingFor(this.settings, context.options);
    if (offset < 0) throw new ApiError(400, 'cannot have negative write offset');
    if (count !== undefined && count < 0) throw new ApiError(400, 'cannot have negative byte count');
    const how = { offset, create, parents, truncate, naming };
    const named = { ...naming, ...namingFrom(naming) };
    await this.uploads.run(principal.account.id, () =>
      this.files.sessions.run(principal, signal, async (session) => {
        const limited = this.uploads.limiter();
        let content: Content | undefined;
        // Bytes beyond `count`, and further parts, are discarded. The client must be able to send them.
        for await (const { bytes } of readParts(request, signal, 'data')) {
          const source = limited(count === undefined ? bytes : first(bytes, count));
          content ??= await receiveContent(source, session.store, named, signal);
        }
        if (content === undefined) throw new ApiError(400, 'argument "data" is required: a multipart part');
        const written = content;
        await this.files.changeIn(session, principal, signal, (tree) => writeFile(tree, path, written, how));
      }),
    );
    endLines(response);
  }
}

/** Returns the first bytes of a stream. */
async function* first(source: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array> {
  let left = count;
  if (left === 0) return;
  for await (const bytes of source) {
    yield bytes.subarray(0, left);
    left -= bytes.length;
    if (left <= 0) return;
  }
}

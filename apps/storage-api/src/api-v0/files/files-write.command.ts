import type { FileTree, TreePath } from '@cairn/mfs';
import { type Content, inherit, namingOf, parseTreePath, takeContent, writeFile } from '@cairn/mfs';
import type { Settings } from '@cairn/service-kit';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { metadataFrom, metadataOptions } from '../metadata-options.ts';
import { readParts } from '../multipart.ts';
import { namingFor, namingOptions } from '../naming.ts';
import { argument } from '../paths.ts';
import { Uploads } from '../uploads.ts';
import { sendNothing } from '../write.ts';
import { Files } from './files.ts';

const most = Number.MAX_SAFE_INTEGER;
const options = {
  offset: { kind: 'integer', default: 0, min: 0, max: most },
  count: { kind: 'integer', min: 0, max: most },
  create: { kind: 'boolean', default: false },
  parents: { kind: 'boolean', default: false },
  truncate: { kind: 'boolean', default: false },
  'raw-leaves': { kind: 'boolean' },
  ...namingOptions,
  ...metadataOptions,
} as const;

/**
 * `files/write`: writes into a file. The body is taken in first, then the tree is changed in one step: whoever reads sees
 * the file before or after it.
 */
@Injectable()
export class FilesWriteCommand implements Command<typeof options> {
  readonly name = 'files/write';
  readonly scope = 'add';
  readonly args = { name: 'path', min: 1, max: 1 };
  readonly options = options;

  constructor(
    @Inject(Files) private readonly files: Files,
    @Inject(Uploads) private readonly uploads: Uploads,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async run(context: CommandContext<typeof options>): Promise<void> {
    const { principal, args, request, response, signal } = context;
    const { 'raw-leaves': _, mode: __, mtime: ___, 'mtime-nsecs': ____, count, ...chosen } = context.options;
    const path = parseTreePath(argument(args, 0, 'path'));
    const naming = namingFor(this.settings, context.options);
    const how = { ...chosen, naming, ...metadataFrom(context.options) };
    const inherited = await this.#namingAt(await this.files.tree(principal, signal), path);
    await this.uploads.run(() =>
      this.files.sessions.run(principal, signal, async (session) => {
        const limited = this.uploads.limiter();
        const named = { ...naming, ...inherit(inherited, naming) };
        let content: Content | undefined;
        // What lies behind `count`, and further parts, are passed over; the client must be able to send them.
        for await (const { bytes } of readParts(request, signal)) {
          const source = limited(count === undefined ? bytes : first(bytes, count));
          content ??= await takeContent(source, session.store, named, signal);
        }
        if (content === undefined) throw new ApiError(400, 'argument "data" is required: a multipart part');
        const written = content;
        await this.files.changeIn(session, principal, signal, (tree) => writeFile(tree, path, written, how));
      }),
    );
    sendNothing(response);
  }

  /** How the file is named, if the tree stays as it is while the body comes. */
  async #namingAt(tree: FileTree, path: TreePath) {
    const found = await tree.find(path);
    return found ? namingOf(found) : await tree.namingAt(path);
  }
}

/** The first bytes of a stream. */
async function* first(source: AsyncIterable<Uint8Array>, count: number): AsyncGenerator<Uint8Array> {
  let left = count;
  if (left === 0) return;
  for await (const bytes of source) {
    yield bytes.subarray(0, left);
    left -= bytes.length;
    if (left <= 0) return;
  }
}

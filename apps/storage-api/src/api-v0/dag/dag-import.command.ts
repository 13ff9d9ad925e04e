import { Slices } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { readCar } from '@cairn/dag';
import { isCairnError } from '@cairn/errors';
import type { WriteSession } from '@cairn/pinning';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { apiErrorFrom } from '../error-policy.ts';
import { readParts } from '../multipart.ts';
import { Uploads } from '../uploads.ts';
import { endLines, writeLine } from '../write.ts';
import { WriteSessions } from '../write-sessions.ts';
import { CarImport } from './car-import.ts';

const options = {
  'pin-roots': { kind: 'boolean' },
  'local-only': { kind: 'boolean', default: false },
  // Concerns the output of Kubo's command line only.
  silent: { kind: 'boolean', default: false },
  stats: { kind: 'boolean', default: false },
  'allow-big-block': { kind: 'boolean', default: false },
} as const;

const rootsMax = 10_000;

/**
 * `dag/import`: stores the blocks of CARs, each verified against its CID, then pins their roots. Roots are pinned
 * after every CAR is read and its blocks are on the disk.
 */
@Injectable()
export class DagImportCommand implements Command<typeof options> {
  readonly name = 'dag/import';
  readonly scope = 'add';
  readonly isLocal = true;
  readonly args = { name: 'path', min: 0, max: 0 };
  readonly file = 'path';
  readonly options = options;

  constructor(
    @Inject(WriteSessions) private readonly sessions: WriteSessions,
    @Inject(Uploads) private readonly uploads: Uploads,
  ) {}

  async run(context: CommandContext<typeof options>): Promise<void> {
    await this.uploads.run(context.principal.account.id, () => this.#import(context));
    // A client may send its next upload as soon as the response ends, so the permit of this one is free by then.
    endLines(context.response);
  }

  async #import({
    principal,
    request,
    options: chosen,
    response,
    signal,
  }: CommandContext<typeof options>): Promise<void> {
    const limited = this.uploads.limiter();
    const pinsRoots = choosePinning(chosen);
    await this.sessions.run(principal, signal, async (session) => {
      const roots = new Map<string, CID>();
      const stats = { BlockCount: 0, BlockBytesCount: 0 };
      let parts = 0;
      for await (const { bytes } of readParts(request, signal)) {
        parts++;
        // The store verifies every block against its CID when it is written.
        const car = await readCar(limited(bytes), { verify: false, buffers: this.uploads.buffers }).catch(emptyCar);
        if (car === undefined) continue;
        await addRoots(roots, car.roots);
        await new CarImport(session, stats).write(car.blocks);
      }
      if (parts === 0) throw new ApiError(400, 'argument "path" is required: a multipart part with a CAR');
      await session.store.sync();
      const slices = new Slices();
      for (const root of pinsRoots ? roots.values() : []) {
        await slices.step();
        const PinErrorMsg = await pin(session, root, signal);
        await writeLine(response, { Root: { Cid: { '/': root.toString() }, PinErrorMsg } }, signal);
      }
      await session.claimUnpinned();
      if (chosen.stats) await writeLine(response, { Stats: stats }, signal);
    });
  }
}

/** Adds the roots of one CAR, each once. @throws ApiError 400 for too many */
async function addRoots(roots: Map<string, CID>, added: readonly CID[]): Promise<void> {
  const slices = new Slices();
  let last: CID | undefined;
  for (const root of added) {
    if (root === last) continue;
    last = root;
    roots.set(root.toString(), root);
    if (roots.size > rootsMax) throw new ApiError(400, `the CARs have more than ${rootsMax} roots`);
    await slices.step();
  }
}

/** Reports whether roots are pinned: a partial CAR has no whole DAG to pin. @throws ApiError 400 */
function choosePinning(chosen: Pick<CommandContext<typeof options>['options'], 'pin-roots' | 'local-only'>): boolean {
  const pinRoots = chosen['pin-roots'];
  if (!chosen['local-only']) return pinRoots ?? true;
  if (pinRoots !== true) return false;
  throw new ApiError(
    400,
    '--local-only implies --pin-roots=false and cannot be combined with --pin-roots=true; please drop one of them',
  );
}

/** Accepts a part without bytes as an empty CAR, as Kubo does. @throws any other error */
function emptyCar(error: unknown): undefined {
  if (!isCairnError(error, 'CAR_INVALID') || error.details.words !== 'EOF') throw error;
}

/** Reason why a root cannot be pinned, or `''`. The roots after it are still pinned. */
async function pin(session: WriteSession, root: CID, signal: AbortSignal): Promise<string> {
  try {
    await session.pin(root, { name: '' });
    return '';
  } catch (error) {
    signal.throwIfAborted();
    if (!isCairnError(error)) throw error;
    // Kubo reads the root from its store and the blocks below it from its DAG service, whose message is longer.
    if (isCairnError(error, 'BLOCK_NOT_FOUND') && error.details.cid === root.toString())
      return `ipld: could not find ${root}`;
    return apiErrorFrom(error)?.message ?? error.message;
  }
}

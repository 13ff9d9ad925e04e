import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import type { CID } from '@cairn/cid';
import { type CairnError, isCairnError } from '@cairn/errors';
import { Pinning } from '@cairn/pinning';
import { parsePath } from '@cairn/unixfs';
import { Inject, Injectable } from '@nestjs/common';
import { withWholeDag } from '../../network/fetch-missing.ts';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { apiErrorFrom } from '../error-policy.ts';
import { resolveAll } from '../paths.ts';
import { printCid } from '../print-cid.ts';
import { sendJson } from '../write.ts';
import { WriteSessions } from '../write-sessions.ts';

const options = { unpin: { kind: 'boolean', default: true }, 'cid-base': { kind: 'text' } } as const;

/** `pin/update`: pins a DAG in place of another one, which stays pinned until the new one is. */
@Injectable()
export class PinUpdateCommand implements Command<typeof options> {
  readonly name = 'pin/update';
  readonly scope = 'pin';
  readonly args = { name: ['from-path', 'to-path'], min: 2, max: 2 };
  readonly options = options;

  constructor(
    @Inject(Pinning) private readonly pinning: Pinning,
    @Inject(BLOCKSTORE) private readonly store: Blockstore,
    @Inject(WriteSessions) private readonly sessions: WriteSessions,
  ) {}

  async run({ principal, args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    // Both paths are parsed before the first is resolved.
    for (const path of args) if (!path.startsWith('/ipns/')) parsePath(path);
    const [from, to] = await resolveAll(this.store, args, signal);
    if (from === undefined || to === undefined) throw new ApiError(400, 'argument "to-path" is required');
    const account = principal.account.id;
    const before = await this.pinning.get(account, from);
    if (before?.mode !== 'recursive') throw new ApiError(500, "'from' cid was not recursively pinned already");
    if (!from.equals(to)) {
      if ((await this.pinning.get(account, to))?.mode === 'recursive')
        throw new ApiError(500, "'to' cid was already recursively pinned");
      await this.sessions
        .run(principal, signal, (session) =>
          withWholeDag(to, { store: this.store, session, signal }, () => session.pin(to, { name: before.name ?? '' })),
        )
        .catch((error: unknown) => {
          throw isCairnError(error, 'BLOCK_NOT_FOUND') ? new ApiError(500, missingWords(error, to)) : error;
        });
      if (chosen.unpin) await this.pinning.unpin(account, [from]);
    }
    sendJson(response, { Pins: [from, to].map((cid) => printCid(cid, chosen['cid-base'])) });
  }
}

/** Kubo's message: a missing root is named before the error that names the block. */
function missingWords(error: CairnError, root: CID): string {
  const message = apiErrorFrom(error)?.message ?? error.message;
  return error.details.cid === root.toString() ? `get ${root}: ${message}` : message;
}

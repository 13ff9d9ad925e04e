import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import type { CID } from '@cairn/cid';
import type { Pin, Pinning } from '@cairn/pinning';
import { PINNING } from '@cairn/pinning/nest';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { resolveAll } from '../paths.ts';
import { printCid } from '../print-cid.ts';
import { endLines, sendJson, writeLine } from '../write.ts';

const options = {
  type: { kind: 'text', default: 'all' },
  name: { kind: 'text' },
  names: { kind: 'boolean', default: false },
  quiet: { kind: 'boolean', default: false },
  stream: { kind: 'boolean', default: false },
  'cid-base': { kind: 'text' },
} as const;

type LsContext = CommandContext<typeof options>;

interface ListedPin {
  readonly cid: CID;
  readonly type: string;
  readonly name?: string | undefined;
}

const kinds = ['direct', 'indirect', 'recursive', 'all'];
/** Without `stream` the whole answer is held in memory. */
const pinsMax = 1_000_000;

/** `pin/ls`: what the account has pinned; with `stream`, line by line as it is read. */
@Injectable()
export class PinLsCommand implements Command<typeof options> {
  readonly name = 'pin/ls';
  readonly scope = 'read';
  readonly args = { name: 'ipfs-path', min: 0, max: 1000 };
  readonly options = options;

  constructor(
    @Inject(PINNING) private readonly pinning: Pinning,
    @Inject(BLOCKSTORE) private readonly store: Blockstore,
  ) {}

  async run(context: LsContext): Promise<void> {
    const { args, options: chosen, response, signal } = context;
    if (!kinds.includes(chosen.type)) {
      throw new ApiError(
        400,
        `invalid type '${chosen.type.slice(0, 64)}', must be one of {direct, indirect, recursive, all}`,
      );
    }
    if (chosen.name === '') throw new ApiError(400, 'the name filter cannot be empty');
    const keys: Record<string, { readonly Type: string; readonly Name?: string }> = {};
    let count = 0;
    for await (const { cid, type, name } of args.length > 0 ? this.#named(context) : this.#all(context)) {
      const Cid = printCid(cid, chosen['cid-base']);
      const entry = { Type: type, ...(name !== undefined && name !== '' && this.#shows(chosen) && { Name: name }) };
      if (chosen.stream) await writeLine(response, { Cid, ...entry }, signal);
      else if (++count > pinsMax) throw new ApiError(400, `there are more than ${pinsMax} pins; ask with stream=true`);
      else keys[Cid] = entry;
    }
    if (chosen.stream) endLines(response);
    else sendJson(response, { Keys: keys });
  }

  #shows({ name, names }: LsContext['options']): boolean {
    return names || name !== undefined;
  }

  async *#all({ principal, options: chosen, signal }: LsContext): AsyncGenerator<ListedPin> {
    const { type, name: wanted } = chosen;
    for await (const { cid, mode, name } of this.pinning.list(principal.account.id)) {
      signal.throwIfAborted();
      if (type !== 'all' && type !== mode) continue;
      // As in Kubo: names that contain the text.
      if (wanted === undefined || name?.includes(wanted)) yield { cid, type: mode, name };
    }
    // What is pinned indirectly has no name of its own.
    if ((type !== 'all' && type !== 'indirect') || wanted !== undefined) return;
    for await (const { cid } of this.pinning.indirect(principal.account.id, { signal }))
      yield { cid, type: 'indirect' };
  }

  async *#named({ principal, args, options: { type }, signal }: LsContext): AsyncGenerator<ListedPin> {
    const account = principal.account.id;
    const cids = await resolveAll(this.store, args, signal);
    for (const [index, cid] of cids.entries()) {
      const pin: Pin | undefined = type === 'indirect' ? undefined : await this.pinning.get(account, cid);
      if (pin && (type === 'all' || type === pin.mode)) {
        yield { cid, type: pin.mode, name: pin.name };
        continue;
      }
      const isAsked = type === 'all' || type === 'indirect';
      const through = isAsked ? await this.pinning.findThrough(account, cid, { signal }) : undefined;
      if (through === undefined) throw new ApiError(500, `path '${args[index]}' is not pinned`);
      yield { cid, type: `indirect through ${through}` };
    }
  }
}

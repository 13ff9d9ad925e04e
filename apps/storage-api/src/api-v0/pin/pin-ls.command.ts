import { type Blockstore, Slices } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import type { CID } from '@cairn/cid';
import { Pinning } from '@cairn/pinning';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { walkInOrder } from '../dag/walk-in-order.ts';
import { goJson } from '../go-json.ts';
import { resolveAll } from '../paths.ts';
import { printCid } from '../print-cid.ts';
import { endLines, sendJson, sendJsonPieces, writeLine } from '../write.ts';
import { checkPinName } from './pin-name.ts';

const options = {
  type: { kind: 'text', default: 'all', alias: 't' },
  name: { kind: 'text', alias: 'n' },
  names: { kind: 'boolean', default: false },
  quiet: { kind: 'boolean', default: false, alias: 'q' },
  stream: { kind: 'boolean', default: false, alias: 's' },
  'cid-base': { kind: 'text' },
} as const;

type LsContext = CommandContext<typeof options>;

interface ListedPin {
  readonly cid: CID;
  readonly type: string;
  readonly name?: string | undefined;
}

const kinds = ['direct', 'indirect', 'recursive', 'all'];
/** Pins of a response without `stream`, which is held in memory. */
const pinsMax = 1_000_000;

/** `pin/ls`: lists the pins of the account; with `stream`, line by line as they are read. */
@Injectable()
export class PinLsCommand implements Command<typeof options> {
  readonly name = 'pin/ls';
  readonly scope = 'read';
  readonly args = { name: 'ipfs-path', min: 0, max: 1000 };
  readonly worksOnDenied = true;
  readonly options = options;

  constructor(
    @Inject(Pinning) private readonly pinning: Pinning,
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
    checkPinName(chosen.name);
    const showsNames = chosen.names || Boolean(chosen.name);
    const keys = new Map<string, { readonly Type: string; readonly Name: string }>();
    const slices = Slices.of(signal);
    for await (const { cid, type: Type, name = '' } of args.length > 0 ? this.#named(context) : this.#all(context)) {
      await slices.step();
      const Cid = printCid(cid, chosen['cid-base']);
      const Name = showsNames ? name : '';
      // Kubo omits empty fields in its lines, but not in the list.
      if (chosen.stream) await writeLine(response, { Cid, ...(Name !== '' && { Name }), Type }, signal);
      else if (keys.size >= pinsMax)
        throw new ApiError(400, `there are more than ${pinsMax} pins; ask with stream=true`);
      else keys.set(Cid, { Type, Name });
    }
    if (chosen.stream) endLines(response);
    else if (keys.size === 0) sendJson(response, {});
    else await sendJsonPieces(response, keysPieces(keys), signal);
  }

  async *#all({ principal, options: chosen, signal }: LsContext): AsyncGenerator<ListedPin> {
    const { type, name: wanted } = chosen;
    for await (const { cid, mode, name } of this.pinning.list(principal.account.id)) {
      signal.throwIfAborted();
      if (type !== 'all' && type !== mode) continue;
      // Matches Kubo: names that contain the text match.
      if (!wanted || name?.includes(wanted)) yield { cid, type: mode, name };
    }
    // Indirect pins have no names.
    if ((type !== 'all' && type !== 'indirect') || wanted) return;
    const seen = new Set<string>();
    for await (const root of this.#roots(principal.account.id)) {
      for await (const { cid } of walkInOrder(this.store, root, signal, { seen })) {
        if ((await this.pinning.get(principal.account.id, cid)) === undefined) yield { cid, type: 'indirect' };
      }
    }
  }

  async *#roots(account: string): AsyncGenerator<CID> {
    for await (const { cid, mode } of this.pinning.list(account)) if (mode === 'recursive') yield cid;
  }

  /**
   * Returns the recursive pin whose DAG has exactly this CID: as in Kubo, another version or codec of its multihash
   * does not match.
   */
  async #findThrough(account: string, wanted: CID, signal: AbortSignal): Promise<CID | undefined> {
    const seen = new Set<string>();
    for await (const root of this.#roots(account)) {
      for await (const { cid } of walkInOrder(this.store, root, signal, { seen }))
        if (cid.equals(wanted) && !cid.equals(root)) return root;
    }
    return undefined;
  }

  async *#named({
    principal,
    args,
    options: { type, 'cid-base': base },
    signal,
  }: LsContext): AsyncGenerator<ListedPin> {
    const account = principal.account.id;
    const cids = await resolveAll(this.store, args, signal);
    for (const [index, cid] of cids.entries()) {
      const pin = await this.pinning.get(account, cid);
      if (pin && (type === 'all' || type === pin.mode)) {
        yield { cid, type: pin.mode, name: pin.name };
        continue;
      }
      // A direct pin may also be pinned through another pin; a recursive pin is never indirect.
      const isAsked = type === 'all' || (type === 'indirect' && pin?.mode !== 'recursive');
      const through = isAsked ? await this.#findThrough(account, cid, signal) : undefined;
      if (through === undefined) throw new ApiError(500, `path '${args[index]}' is not pinned`);
      yield { cid, type: `indirect through ${printCid(through, base)}` };
    }
  }
}

function* keysPieces(keys: ReadonlyMap<string, unknown>): Generator<string> {
  let separator = '{"Keys":{';
  for (const [cid, value] of keys) {
    yield `${separator}${JSON.stringify(cid)}:${goJson(value)}`;
    separator = ',';
  }
  yield '}}';
}

import { type Block, type Blockstore, type BufferPool, Slices } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import type { CID } from '@cairn/cid';
import { resolveToBlock, writeCar } from '@cairn/dag';
import { CidList, cidKey, linksOf } from '@cairn/pinning';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { argument, resolveOptionsOf } from '../paths.ts';
import { inheritReadOptions } from '../read-options.ts';
import { sendBlocks, sendHead, streamHeaders } from '../write.ts';
import { walkInOrder } from './walk-in-order.ts';

const options = {
  // Concerns the output of Kubo's command line only.
  progress: { kind: 'boolean', alias: 'p' },
  'local-only': { kind: 'boolean', default: false },
  offline: { kind: 'boolean' },
} as const;

const identity = 0x00;
/** CIDs that one partial export holds in memory. */
const blocksMax = 4_000_000;

/**
 * `dag/export`: returns a DAG as a CAR of version 1, each block once, parents first. With `local-only` it has the
 * stored part.
 */
@Injectable()
export class DagExportCommand implements Command<typeof options> {
  readonly name = 'dag/export';
  readonly scope = 'read';
  readonly args = { name: 'root', min: 1, max: 1 };
  readonly options = options;

  constructor(@Inject(BLOCKSTORE) private readonly store: Blockstore) {}

  async run({ args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const isPartial = chosen['local-only'];
    if (isPartial && chosen.offline === false) {
      throw new ApiError(
        400,
        '--local-only implies --offline and cannot be combined with --offline=false; please drop one of them',
      );
    }
    const reading = isPartial ? localReads(signal) : signal;
    const how = { ...resolveOptionsOf(signal), signal: reading };
    const root = await resolveToBlock(this.store, argument(args, 0, 'root'), how);
    // The root is read before the first byte is sent, so that a missing DAG is still an error response.
    await this.#read(root, reading);
    sendHead(response, { ...streamHeaders, 'content-type': 'application/vnd.ipld.car' });
    const blocks = (buffers: BufferPool) =>
      isPartial ? this.#localBlocks(root, reading) : this.#blocks(root, signal, buffers);
    await sendBlocks(response, (buffers) => writeCar([root], blocks(buffers)), signal);
  }

  async *#blocks(root: CID, signal: AbortSignal, buffers: BufferPool): AsyncGenerator<Block> {
    for await (const { cid } of walkInOrder(this.store, root, signal))
      yield { cid, bytes: await this.#read(cid, signal, buffers) };
  }

  /** Lists the stored blocks. A block that is missing or unreadable is skipped with everything below it. */
  async *#localBlocks(root: CID, signal: AbortSignal): AsyncGenerator<Block> {
    const seen = new Set<string>();
    const open = new CidList();
    open.push(root.bytes);
    const slices = Slices.of(signal);
    for (let cid = open.pop(); cid !== undefined; cid = open.pop()) {
      signal.throwIfAborted();
      await slices.step();
      const key = cidKey(cid.bytes);
      if (seen.has(key)) continue;
      seen.add(key);
      if (seen.size > blocksMax || open.length > blocksMax)
        throw new ApiError(400, `the DAG has more than ${blocksMax} blocks`);
      const block = await this.#readLocal(cid, slices, signal);
      if (block === undefined) continue;
      // Matches Kubo: a partial CAR has no blocks of identity CIDs.
      if (cid.multihash.code !== identity) yield { cid, bytes: block.bytes };
      for (let index = block.links.length - 1; index >= 0; index--) open.push(block.links.bytesAt(index));
    }
  }

  async #readLocal(
    cid: CID,
    slices: Slices,
    signal: AbortSignal,
  ): Promise<{ readonly bytes: Uint8Array; readonly links: CidList } | undefined> {
    try {
      const bytes = await this.#read(cid, signal);
      return { bytes, links: await linksOf(cid, bytes, slices) };
    } catch {
      return undefined;
    }
  }

  /** The bytes of an identity CID are part of it. As in Kubo, they are written too. */
  async #read(cid: CID, signal: AbortSignal, buffers?: BufferPool): Promise<Uint8Array> {
    const { code, digest } = cid.multihash;
    return code === identity ? digest : await this.store.get(cid, { signal, ...(buffers && { buffers }) });
  }
}

/** Signal of reads that do not wait for blocks. It ends with the request. */
function localReads(signal: AbortSignal): AbortSignal {
  const local = AbortSignal.any([signal]);
  inheritReadOptions(local, signal, { waitMs: 0, network: undefined });
  return local;
}

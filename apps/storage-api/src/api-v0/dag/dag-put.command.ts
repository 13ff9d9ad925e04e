import { limits, nameBlock } from '@cairn/blockstore';
import { hashFunction } from '@cairn/cid';
import { type DagCodec, dagCodecs, decodeDag, encodeDag } from '@cairn/dag';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { partBytes } from '../part-bytes.ts';
import { printCid } from '../print-cid.ts';
import { Sessions } from '../sessions.ts';
import { endLines, writeLine } from '../write.ts';

const options = {
  'store-codec': { kind: 'text', default: 'dag-cbor', oneOf: dagCodecs },
  'input-codec': { kind: 'text', default: 'dag-json', oneOf: dagCodecs },
  hash: { kind: 'text', default: 'sha2-256' },
  pin: { kind: 'boolean', default: false },
  'allow-big-block': { kind: 'boolean', default: false },
  'cid-base': { kind: 'text' },
} as const;

/** `dag/put`: values in one codec as blocks in another, each a part of the body. */
@Injectable()
export class DagPutCommand implements Command<typeof options> {
  readonly name = 'dag/put';
  readonly scope = 'add';
  readonly args = { name: 'object data', min: 0, max: 0 };
  readonly options = options;

  constructor(@Inject(Sessions) private readonly sessions: Sessions) {}

  async run({ principal, request, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const hash = hashFunction(chosen.hash).name;
    const [input, codec] = [chosen['input-codec'] as DagCodec, chosen['store-codec'] as DagCodec];
    await this.sessions.run(principal, signal, async (session) => {
      const cids: string[] = [];
      for await (const data of partBytes(request, limits.blockBytesMax, signal)) {
        const block = nameBlock(encodeDag(codec, decodeDag(input, data)), { codec, hash });
        const { cid } = block;
        await session.store.putMany([block]);
        if (chosen.pin) await session.pin(cid);
        cids.push(printCid(cid, chosen['cid-base']));
      }
      if (cids.length === 0) throw new ApiError(400, 'argument "object data" is required: a multipart part');
      await session.store.sync();
      for (const cid of cids) await writeLine(response, { Cid: { '/': cid } }, signal);
    });
    endLines(response);
  }
}

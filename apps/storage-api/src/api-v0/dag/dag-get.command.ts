import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { type DagCodec, dagCodecOf, dagCodecs, decodeDag, encodeDag, resolveDagPath, valueAt } from '@cairn/dag';
import { Inject, Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { argument } from '../paths.ts';

const options = { 'output-codec': { kind: 'text', default: 'dag-json', oneOf: dagCodecs } } as const;

/** `dag/get`: a block, or a value within one, in the codec asked for. */
@Injectable()
export class DagGetCommand implements Command<typeof options> {
  readonly name = 'dag/get';
  readonly scope = 'read';
  readonly args = { name: 'ref', min: 1, max: 1 };
  readonly options = options;

  constructor(@Inject(BLOCKSTORE) private readonly store: Blockstore) {}

  async run({ args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const { cid, remainder } = await resolveDagPath(this.store, argument(args, 0, 'ref'), { signal });
    const block = decodeDag(dagCodecOf(cid), await this.store.get(cid, { signal }), `Block ${cid}`);
    const codec = chosen['output-codec'] as DagCodec;
    const bytes = encodeDag(codec, valueAt(cid, block, remainder));
    response.writeHead(200, {
      'content-type': 'text/plain',
      'x-content-type-options': 'nosniff',
      'x-stream-output': '1',
      'content-length': bytes.length,
    });
    response.end(bytes);
  }
}

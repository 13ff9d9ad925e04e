import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { multicodecName, parseMulticodec } from '@cairn/cid';
import { blockCodecOf, isTranscodable, resolveDagPath, type TranscodableCodec } from '@cairn/dag';
import { Inject, Injectable } from '@nestjs/common';
import { CodecPool } from '../../codec-pool/codec-pool.ts';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { argument, resolveOptionsOf } from '../paths.ts';
import { sendHead, streamHeaders } from '../write.ts';

const options = { 'output-codec': { kind: 'text', default: 'dag-json' } } as const;

/** `dag/get`: returns a block, or a value within one, in the requested codec. */
@Injectable()
export class DagGetCommand implements Command<typeof options> {
  readonly name = 'dag/get';
  readonly scope = 'read';
  readonly args = { name: 'ref', min: 1, max: 1 };
  readonly options = options;

  constructor(
    @Inject(BLOCKSTORE) private readonly store: Blockstore,
    @Inject(CodecPool) private readonly codecs: CodecPool,
  ) {}

  async run({ principal, args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const text = chosen['output-codec'];
    const code = parseMulticodec(text);
    if (code === undefined) throw new ApiError(400, `unknown multicodec: ${JSON.stringify(text)}`);
    const { cid, remainder } = await resolveDagPath(this.store, argument(args, 0, 'ref'), resolveOptionsOf(signal));
    const to = encoderOf(code);
    const job = { kind: 'extract', bytes: await this.store.get(cid, { signal }), from: blockCodecOf(cid) } as const;
    const whose = { account: principal.account.id, signal };
    const bytes = await this.codecs.run({ ...job, block: cid.toString(), names: remainder, to }, whose);
    // In Kubo's order: a missing value is reported before an unknown codec.
    if (to === undefined) throw noEncoder(code);
    sendHead(response, { ...streamHeaders, 'content-type': 'text/plain', 'x-content-type-options': 'nosniff' });
    response.end(bytes);
  }
}

/** Returns the codec with a code, if it has an encoder. */
function encoderOf(code: number): TranscodableCodec | undefined {
  const name = multicodecName(code);
  return name !== undefined && isTranscodable(name) ? name : undefined;
}

/** Error of a codec without an encoder, in Kubo's words. */
function noEncoder(code: number): ApiError {
  const name = multicodecName(code);
  const number = `${code} (0x${code.toString(16)})`;
  return new ApiError(
    400,
    `invalid encoding: ${name ?? `Code(${code})`} - no encoder registered for multicodec code ${number}`,
  );
}

import { createHashedBlock, limits } from '@cairn/blockstore';
import { hashFunction, multicodecName, parseMulticodec } from '@cairn/cid';
import { isTranscodable, type TranscodableCodec } from '@cairn/dag';
import { isCairnError } from '@cairn/errors';
import { Inject, Injectable } from '@nestjs/common';
import { CodecPool } from '../../codec-pool/codec-pool.ts';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { partBytes } from '../part-bytes.ts';
import { endLines, writeLine } from '../write.ts';
import { WriteSessions } from '../write-sessions.ts';

const options = {
  'store-codec': { kind: 'text', default: 'dag-cbor' },
  'input-codec': { kind: 'text', default: 'dag-json' },
  hash: { kind: 'text', default: 'sha2-256' },
  pin: { kind: 'boolean', default: false },
  'allow-big-block': { kind: 'boolean', default: false },
  'cid-base': { kind: 'text' },
} as const;

/** `dag/put`: stores values of one codec as blocks of another, each a part of the body. */
@Injectable()
export class DagPutCommand implements Command<typeof options> {
  readonly name = 'dag/put';
  readonly scope = 'add';
  readonly args = { name: 'object data', min: 0, max: 0 };
  readonly file = 'object data';
  readonly options = options;

  constructor(
    @Inject(WriteSessions) private readonly sessions: WriteSessions,
    @Inject(CodecPool) private readonly codecs: CodecPool,
  ) {}

  async run({ principal, request, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const [input, codec] = [codecOf(chosen['input-codec'], 'decoder'), codecOf(chosen['store-codec'], 'encoder')];
    const hash = hashFunction(codeOf(chosen.hash === '' ? 'sha2-256' : chosen.hash)).name;
    const limit = { bytesMax: limits.blockBytesMax, allowsBig: chosen['allow-big-block'] };
    await this.sessions.run(principal, signal, async (session) => {
      const cids: string[] = [];
      for await (const data of partBytes(request, { ...limit, signal, argument: 'object data' })) {
        const job = { kind: 'transcode', bytes: data, from: input, to: codec } as const;
        const bytes = await this.codecs.run(job, { account: principal.account.id, signal }).catch(asKubo);
        const block = createHashedBlock(bytes, { codec, hash });
        const { cid } = block;
        await session.store.putMany([block]);
        if (chosen.pin) await session.pin(cid);
        cids.push(cid.toString());
      }
      await session.claimUnpinned();
      for (const cid of cids) await writeLine(response, { Cid: { '/': cid } }, signal);
    });
    endLines(response);
  }
}

/** @throws ApiError 500 for data that Kubo refuses too, in its words where they are known; any other error unchanged */
function asKubo(error: unknown): never {
  if (!isCairnError(error, 'DAG_INVALID') && !isCairnError(error, 'VALUE_INVALID')) throw error;
  const { cause } = error;
  throw new ApiError(500, cause instanceof Error ? cause.message : error.message);
}

/** Returns the code of a multicodec, by name or number. @throws ApiError 400, in Kubo's words */
function codeOf(text: string): number {
  const code = parseMulticodec(text);
  if (code === undefined) throw new ApiError(400, `unknown multicodec: ${JSON.stringify(text)}`);
  return code;
}

/** @throws ApiError 400, in Kubo's words */
function codecOf(text: string, role: 'decoder' | 'encoder'): TranscodableCodec {
  const code = codeOf(text);
  const name = multicodecName(code);
  if (name !== undefined && isTranscodable(name)) return name;
  throw new ApiError(400, `no ${role} registered for multicodec code ${code} (0x${code.toString(16)})`);
}

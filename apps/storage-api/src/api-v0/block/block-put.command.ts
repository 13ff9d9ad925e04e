import { limits } from '@cairn/blockstore';
import { type CID, type CodecName, cidFor, codecs, hashFunction } from '@cairn/cid';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import type { OptionValues } from '../options.ts';
import { partBytes } from '../part-bytes.ts';
import { printCid } from '../print-cid.ts';
import { Sessions } from '../sessions.ts';
import { endLines, writeLine } from '../write.ts';

const options = {
  'cid-codec': { kind: 'text', default: 'raw', oneOf: Object.keys(codecs) },
  mhtype: { kind: 'text', default: 'sha2-256' },
  mhlen: { kind: 'integer', default: -1, min: -1, max: 128 },
  pin: { kind: 'boolean', default: false },
  'allow-big-block': { kind: 'boolean', default: false },
  format: { kind: 'text', oneOf: ['v0', 'protobuf', 'cbor', 'raw', 'dag-pb', 'dag-cbor'] },
  'cid-base': { kind: 'text' },
} as const;

/** `block/put`: blocks as they are, each a part of the body. */
@Injectable()
export class BlockPutCommand implements Command<typeof options> {
  readonly name = 'block/put';
  readonly scope = 'add';
  readonly args = { name: 'data', min: 0, max: 0 };
  readonly options = options;

  constructor(@Inject(Sessions) private readonly sessions: Sessions) {}

  async run({ principal, request, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const name = namer(chosen);
    await this.sessions.run(principal, signal, async (session) => {
      const lines: { readonly Key: string; readonly Size: number }[] = [];
      for await (const bytes of partBytes(request, limits.blockBytesMax, signal)) {
        const cid = name(bytes);
        await session.store.putMany([{ cid, bytes }]);
        if (chosen.pin) await session.pin(cid);
        lines.push({ Key: printCid(cid, chosen['cid-base']), Size: bytes.length });
      }
      if (lines.length === 0) throw new ApiError(400, 'argument "data" is required: a multipart part');
      await session.store.sync();
      for (const line of lines) await writeLine(response, line, signal);
    });
    endLines(response);
  }
}

/** How blocks are named. @throws ApiError 400 */
function namer(chosen: OptionValues<typeof options>): (bytes: Uint8Array) => CID {
  const { format, mhtype, mhlen } = chosen;
  const hash = hashFunction(mhtype);
  if (format === 'v0') {
    if (mhtype !== 'sha2-256' || (mhlen !== -1 && mhlen !== 32))
      throw new ApiError(400, 'format v0 uses sha2-256 with 32 bytes only');
    return (bytes) => cidFor(bytes, { codec: 'dag-pb', version: 0 });
  }
  const legacy: Readonly<Record<string, CodecName>> = { protobuf: 'dag-pb', cbor: 'dag-cbor' };
  const codec = (format === undefined ? chosen['cid-codec'] : (legacy[format] ?? format)) as CodecName;
  return (bytes) => cidFor(bytes, { codec, hash: hash.name, ...(mhlen !== -1 && { digestBytes: mhlen }) });
}

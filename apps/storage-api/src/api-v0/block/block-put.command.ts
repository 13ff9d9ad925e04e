import { limits } from '@cairn/blockstore';
import { type CID, cidFor, hashFunction, parseMulticodec } from '@cairn/cid';
import { Inject, Injectable } from '@nestjs/common';
import { multihashName } from '../add/add-hash.ts';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import type { OptionValues } from '../options.ts';
import { partBytes } from '../part-bytes.ts';
import { printCid } from '../print-cid.ts';
import { endLines, writeLine } from '../write.ts';
import { WriteSessions } from '../write-sessions.ts';

const options = {
  'cid-codec': { kind: 'text', default: 'raw' },
  mhtype: { kind: 'text', default: 'sha2-256' },
  mhlen: { kind: 'integer', default: -1, min: -(2 ** 31), max: 2 ** 31 - 1 },
  pin: { kind: 'boolean', default: false },
  'allow-big-block': { kind: 'boolean', default: false },
  format: { kind: 'text', alias: 'f', default: '' },
  'cid-base': { kind: 'text' },
  'upgrade-cidv0-in-output': { kind: 'boolean' },
} as const;

/** `block/put`: stores blocks unchanged, each a part of the body. */
@Injectable()
export class BlockPutCommand implements Command<typeof options> {
  readonly name = 'block/put';
  readonly scope = 'add';
  readonly args = { name: 'data', min: 0, max: 0 };
  readonly file = 'data';
  readonly options = options;

  constructor(@Inject(WriteSessions) private readonly sessions: WriteSessions) {}

  async run({ principal, request, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const name = namer(chosen);
    const limit = { bytesMax: limits.blockBytesMax, allowsBig: chosen['allow-big-block'] };
    await this.sessions.run(principal, signal, async (session) => {
      const lines: { readonly Key: string; readonly Size: number }[] = [];
      for await (const bytes of partBytes(request, { ...limit, signal, argument: 'data' })) {
        const cid = name(bytes);
        await session.store.putMany([{ cid, bytes }]);
        if (chosen.pin) await session.pin(cid);
        lines.push({ Key: printCid(cid, chosen['cid-base'], chosen['upgrade-cidv0-in-output']), Size: bytes.length });
      }
      await session.claimUnpinned();
      for (const line of lines) await writeLine(response, line, signal);
    });
    endLines(response);
  }
}

/** Parses codec and hash function of the blocks. @throws ApiError 400, in Kubo's words */
function namer(chosen: OptionValues<typeof options>): (bytes: Uint8Array) => CID {
  const { format, mhtype, mhlen, 'cid-codec': cidCodec } = chosen;
  const name = mhtype === '' ? 'sha2-256' : mhtype;
  const hash = hashFunction(multihashName(name, `unrecognized multihash function: ${name}`));
  if (format !== '' && cidCodec !== '' && cidCodec !== 'raw')
    throw new ApiError(400, 'unable to use "format" (deprecated) and a custom "cid-codec" at the same time');
  // A negative length means the whole digest. The digest of identity is the content.
  const digestBytes = mhlen < 0 || hash.name === 'identity' ? undefined : mhlen;
  if (format === 'v0') {
    if (hash.name !== 'sha2-256' || (digestBytes !== undefined && digestBytes !== 32))
      throw new ApiError(400, 'only sha2-255-32 is allowed with CIDv0');
    return (bytes) => cidFor(bytes, { codec: 'dag-pb', version: 0 });
  }
  if (digestBytes !== undefined && digestBytes > longestDigest(hash))
    throw new ApiError(400, 'invalid cid: requested length was too large for digest');
  const codec = codecOf(format === '' ? cidCodec : (legacyFormats[format] ?? format));
  return (bytes) => cidFor(bytes, { codec, hash: hash.name, ...(digestBytes !== undefined && { digestBytes }) });
}

/** Values of `format` that are older than the multicodec table. */
const legacyFormats: Readonly<Record<string, string>> = Object.assign(Object.create(null), {
  protobuf: 'dag-pb',
  cbor: 'dag-cbor',
});

/** In go-multihash only blake3 gives digests longer than its default. */
function longestDigest({ name, digestBytes }: { readonly name: string; readonly digestBytes: number }): number {
  return name === 'blake3' ? 128 : digestBytes;
}

function codecOf(text: string): number {
  const code = parseMulticodec(text === '' ? 'raw' : text);
  if (code === undefined) throw new ApiError(400, `unknown multicodec: ${JSON.stringify(text)}`);
  return code;
}

import { findMultibase, type Multibase, multibaseOf, parseMulticodec } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import type { OptionValues } from '../options.ts';
import { endLines, writeLine } from '../write.ts';
import { type CidParts, CidTextError, dagPb, decodeCid, isVersion0Possible, multibaseOfCid } from './cid-parts.ts';
import { formatCidParts } from './format-cid.ts';

const options = {
  f: { kind: 'text', default: '%s' },
  v: { kind: 'text', default: '' },
  mc: { kind: 'text', default: '' },
  b: { kind: 'text', default: '' },
} as const;

const args = { name: 'cid', min: 1, max: 1000 } as const;
const base58btc = 'base58btc';

/** Changes that apply to every CID of a request. */
interface CidFormat {
  readonly format: string;
  readonly version: 0 | 1 | undefined;
  readonly codec: number | undefined;
  readonly base: Multibase | undefined;
}

/** Finds a multibase. @throws ApiError 500 in Kubo's words */
export function multibaseNamed(name: string): Multibase {
  if (name === '') throw new ApiError(500, 'empty multibase encoding');
  const base = findMultibase(name);
  if (base === undefined) throw new ApiError(500, `unsupported multibase encoding: ${name.slice(0, 64)}`);
  return base;
}

function formatFrom({ f, v, mc, b }: OptionValues<typeof options>): CidFormat {
  if (!f.includes('%')) throw new ApiError(500, `invalid format string: ${JSON.stringify(f)}`);
  const codec = mc === '' ? undefined : parseMulticodec(mc);
  if (mc !== '' && codec === undefined) throw new ApiError(500, `unknown multicodec: ${JSON.stringify(mc)}`);
  if (v !== '' && v !== '0' && v !== '1') throw new ApiError(500, `invalid cid version: ${JSON.stringify(v)}`);
  if (v === '0' && codec !== undefined && codec !== dagPb)
    throw new ApiError(500, 'cannot convert to CIDv0 with any codec other than dag-pb');
  if (v === '0' && b !== '' && b !== base58btc)
    throw new ApiError(500, 'cannot convert to CIDv0 with any multibase other than the implicit base58btc');
  const version = v === '0' ? 0 : v === '1' || b !== '' ? 1 : undefined;
  return { format: f, version, codec, base: b === '' ? undefined : multibaseNamed(b) };
}

/** Applies a format to the text of a CID. @throws CidTextError */
function applyFormat(text: string, { format, version, codec, base }: CidFormat): string {
  let parts = decodeCid(text);
  if (codec !== undefined && codec !== parts.codec) parts = { ...parts, version: 1, codec };
  if (version === 1) parts = { ...parts, version };
  if (version === 0) parts = toVersion0(parts);
  const chosen = base ?? (parts.version === 0 ? multibaseOf('z') : multibaseOfCid(text));
  if (chosen === undefined) throw new CidTextError('invalid cid: selected encoding not supported');
  try {
    return formatCidParts(format, chosen, parts);
  } catch (error) {
    if (isCairnError(error, 'MULTIBASE_INVALID')) throw new CidTextError(error.message);
    throw error;
  }
}

function toVersion0(parts: CidParts): CidParts {
  if (parts.codec !== dagPb) throw new CidTextError("can't convert non-dag-pb nodes to cidv0");
  // Here Kubo ends the whole request with "an error occurred".
  if (!isVersion0Possible(parts))
    throw new CidTextError(`invalid cid: invalid hash for cidv0 ${parts.hash}-${parts.digest.length}`);
  return { ...parts, version: 0 };
}

async function sendFormatted(
  { args: texts, response, signal }: Pick<CommandContext, 'args' | 'response' | 'signal'>,
  format: CidFormat,
): Promise<void> {
  for (const text of texts) {
    const line = { CidStr: text, Formatted: '', ErrorMsg: '' };
    try {
      line.Formatted = applyFormat(text, format);
    } catch (error) {
      if (!(error instanceof CidTextError)) throw error;
      line.ErrorMsg = error.message;
    }
    await writeLine(response, line, signal);
  }
  endLines(response);
}

/** `cid/format`: prints CIDs in another version, codec or base, or parts of them. */
@Injectable()
export class CidFormatCommand implements Command<typeof options> {
  readonly name = 'cid/format';
  readonly scope = 'read';
  readonly args = args;
  readonly options = options;

  async run(context: CommandContext<typeof options>): Promise<void> {
    await sendFormatted(context, formatFrom(context.options));
  }
}

/** `cid/base32`: prints CIDs as version 1 in base32. */
@Injectable()
export class CidBase32Command implements Command<Record<never, never>> {
  readonly name = 'cid/base32';
  readonly scope = 'read';
  readonly args = args;
  readonly options = {};

  async run(context: CommandContext<Record<never, never>>): Promise<void> {
    await sendFormatted(context, { format: '%s', version: 1, codec: undefined, base: multibaseNamed('base32') });
  }
}

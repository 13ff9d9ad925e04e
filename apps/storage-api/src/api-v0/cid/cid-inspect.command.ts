import { multicodecName } from '@cairn/cid';
import { Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { sendJson } from '../write.ts';
import { multibaseNamed } from './cid-format.command.ts';
import {
  type CidParts,
  CidTextError,
  decodeCid,
  decodePeerId,
  isVersion0Possible,
  libp2pKey,
  multibaseOfCid,
} from './cid-parts.ts';
import { hashName, printCidIn } from './format-cid.ts';

const nothingKnown = {
  version: 0,
  multibase: { prefix: '', name: '' },
  multicodec: { code: 0, name: '' },
  multihash: { code: 0, name: '', length: 0, digest: '' },
};

/** `cid/inspect`: returns the parts of one CID, and the same CID in versions 0 and 1. */
@Injectable()
export class CidInspectCommand implements Command<Record<never, never>> {
  readonly name = 'cid/inspect';
  readonly scope = 'read';
  readonly args = { name: 'cid', min: 1, max: 1 };
  readonly options = {};

  async run({ args, response }: CommandContext<Record<never, never>>): Promise<void> {
    const [text = ''] = args;
    try {
      sendJson(response, inspect(text, decodeCid(text)));
    } catch (error) {
      if (!(error instanceof CidTextError)) throw error;
      const errorMsg = `invalid CID: ${error.message}${noteForPeerId(text)}`;
      sendJson(response, { cid: text, ...nothingKnown, cidV1: '', errorMsg });
    }
  }
}

function inspect(text: string, parts: CidParts) {
  const { version, codec, hash, digest } = parts;
  const base = multibaseOfCid(text);
  const prefix = base === undefined ? '' : String.fromCodePoint(base.code);
  return {
    cid: text,
    version,
    multibase: { prefix: version === 0 ? 'z' : prefix, name: version === 0 ? 'base58btc' : (base?.name ?? '') },
    multicodec: { code: codec, name: multicodecName(codec) ?? 'unknown' },
    multihash: { code: hash, name: hashName(hash) ?? 'unknown', length: digest.length, digest: digest.toString('hex') },
    ...(isVersion0Possible(parts) && { cidV0: printCidIn(multibaseNamed('base58btc'), { ...parts, version: 0 }) }),
    cidV1: printVersion1(parts),
  };
}

/** Prints version 1 in the base that Kubo prefers: base36 for names, base32 for content. */
function printVersion1(parts: CidParts): string {
  return printCidIn(multibaseNamed(parts.codec === libp2pKey ? 'base36' : 'base32'), { ...parts, version: 1 });
}

/** A peer ID in its old form is not a CID: Kubo names the CID that can be inspected. */
function noteForPeerId(text: string): string {
  const parts = decodePeerId(text);
  if (parts === undefined) return '';
  const cid = printCidIn(multibaseNamed('base36'), parts);
  return `\nNote: the value is a PeerID; inspect its CID representation instead:\n  ${cid}`;
}

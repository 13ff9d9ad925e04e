import { decodeMultibase, encodeMultibase } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import { multibaseNamed } from '../cid/cid-format.command.ts';
import type { Command, CommandContext } from '../command.ts';
import { fileArgument } from '../file-argument.ts';
import { sendText } from '../write.ts';

const options = { b: { kind: 'text', default: 'base64url' } } as const;
const noArgs = { name: '', min: 0, max: 0 } as const;

/** Bytes of the file of one request: the longest text of any multibase that is decoded, with its prefix. */
const fileBytesMax = 512 * 1024 + 16;

/** @throws ApiError 500 in Kubo's words */
function decoded(text: Uint8Array): Uint8Array {
  try {
    return decodeMultibase(text).bytes;
  } catch (error) {
    if (!isCairnError(error, 'MULTIBASE_INVALID')) throw error;
    throw new ApiError(500, `failed to decode multibase: ${error.message}`);
  }
}

/** @throws ApiError 500 for more bytes than the base allows */
function encoded(name: string, bytes: Uint8Array): Uint8Array {
  try {
    return encodeMultibase(multibaseNamed(name), bytes);
  } catch (error) {
    if (!isCairnError(error, 'MULTIBASE_INVALID')) throw error;
    throw new ApiError(500, `failed to encode multibase: ${error.message}`);
  }
}

/** `multibase/encode`: encodes a file in a multibase. */
@Injectable()
export class MultibaseEncodeCommand implements Command<typeof options> {
  readonly name = 'multibase/encode';
  readonly scope = 'read';
  readonly args = noArgs;
  readonly file = 'file';
  readonly options = options;

  async run({ options: { b }, request, response, signal }: CommandContext<typeof options>): Promise<void> {
    multibaseNamed(b);
    sendText(response, encoded(b, await fileArgument(request, { name: 'file', bytesMax: fileBytesMax, signal })));
  }
}

/** `multibase/decode`: decodes a text in any multibase. */
@Injectable()
export class MultibaseDecodeCommand implements Command<Record<never, never>> {
  readonly name = 'multibase/decode';
  readonly scope = 'read';
  readonly args = noArgs;
  readonly file = 'encoded_file';
  readonly options = {};

  async run({ request, response, signal }: CommandContext<Record<never, never>>): Promise<void> {
    sendText(response, decoded(await fileArgument(request, { name: 'encoded_file', bytesMax: fileBytesMax, signal })));
  }
}

/** `multibase/transcode`: converts a text from one multibase to another. */
@Injectable()
export class MultibaseTranscodeCommand implements Command<typeof options> {
  readonly name = 'multibase/transcode';
  readonly scope = 'read';
  readonly args = noArgs;
  readonly file = 'encoded_file';
  readonly options = options;

  async run({ options: { b }, request, response, signal }: CommandContext<typeof options>): Promise<void> {
    multibaseNamed(b);
    const text = await fileArgument(request, { name: 'encoded_file', bytesMax: fileBytesMax, signal });
    sendText(response, encoded(b, decoded(text)));
  }
}

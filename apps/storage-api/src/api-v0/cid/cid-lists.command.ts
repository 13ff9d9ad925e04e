import { hashes, ipldCodecs, multibases } from '@cairn/cid';
import { Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { sendJson } from '../write.ts';

// The CLI prints the numbers and prefixes that these options select. The response always has them.
const baseOptions = { prefix: { kind: 'boolean' }, numeric: { kind: 'boolean' } } as const;
const listOptions = {
  numeric: { kind: 'boolean', alias: 'n' },
  supported: { kind: 'boolean', alias: 's' },
} as const;

const noArgs = { name: '', min: 0, max: 0 } as const;

/** Codecs that dag and block commands of Kubo read or write, beside libp2p-key. */
const supportedCodecs: ReadonlySet<string> = new Set([
  'cbor',
  'raw',
  'dag-pb',
  'dag-cbor',
  'libp2p-key',
  'git-raw',
  'dag-jose',
  'dag-json',
  'json',
]);

/** `cid/bases`: lists the multibases. */
@Injectable()
export class CidBasesCommand implements Command<typeof baseOptions> {
  readonly name: string = 'cid/bases';
  readonly scope = 'read';
  readonly args = noArgs;
  readonly options = baseOptions;

  async run({ response }: CommandContext<typeof baseOptions>): Promise<void> {
    sendJson(
      response,
      multibases.map(({ code, name }) => ({ Code: code, Name: name })),
    );
  }
}

/** `multibase/list`: the same as `cid/bases`. */
@Injectable()
export class MultibaseListCommand extends CidBasesCommand {
  override readonly name = 'multibase/list';
}

/** `cid/codecs`: lists the codecs of CIDs. */
@Injectable()
export class CidCodecsCommand implements Command<typeof listOptions> {
  readonly name = 'cid/codecs';
  readonly scope = 'read';
  readonly args = noArgs;
  readonly options = listOptions;

  async run({ options, response }: CommandContext<typeof listOptions>): Promise<void> {
    const listed = [...ipldCodecs].filter(([, name]) => options.supported !== true || supportedCodecs.has(name));
    sendJson(
      response,
      listed.map(([code, name]) => ({ Code: code, Name: name })),
    );
  }
}

/** `cid/hashes`: lists the hash functions of content. */
@Injectable()
export class CidHashesCommand implements Command<typeof listOptions> {
  readonly name = 'cid/hashes';
  readonly scope = 'read';
  readonly args = noArgs;
  readonly options = listOptions;

  async run({ response }: CommandContext<typeof listOptions>): Promise<void> {
    sendJson(
      response,
      [...hashes.values()].map(({ code, name }) => ({ Code: code, Name: name })),
    );
  }
}

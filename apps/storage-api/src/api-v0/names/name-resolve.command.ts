import { isCairnError } from '@cairn/errors';
import { ipnsNameText } from '@cairn/ipns';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { parseGoDurationNs } from '../go-duration-ns.ts';
import { endLines, sendJson, writeLine } from '../write.ts';
import { AccountNames } from './account-names.ts';

const options = {
  recursive: { kind: 'boolean', alias: 'r', default: true },
  nocache: { kind: 'boolean', alias: 'n', default: false },
  'dht-record-count': { kind: 'integer', alias: 'dhtrc', type: 'uint', min: 0, max: Number.MAX_SAFE_INTEGER },
  'dht-timeout': { kind: 'text', alias: 'dhtt' },
  stream: { kind: 'boolean', alias: 's', default: false },
  offline: { kind: 'boolean', default: false },
} as const;

/** `name/resolve`: returns the path of an IPNS name or a DNSLink domain; of `self` without an argument. */
@Injectable()
export class NameResolveCommand implements Command<typeof options> {
  readonly name = 'name/resolve';
  readonly scope = 'read';
  readonly args = { name: 'name', min: 0, max: 1 };
  readonly options = options;

  constructor(@Inject(AccountNames) private readonly names: AccountNames) {}

  async run({ principal, args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const timeout = chosen['dht-timeout'];
    if (timeout && parseGoDurationNs(timeout) < 0n) throw new ApiError(500, 'DHT timeout value must be >= 0');
    const name = args[0] ?? ipnsNameText((await this.names.self(principal)).name);
    const lookup = { signal, isRecursive: chosen.recursive, isFresh: chosen.nocache, isOffline: chosen.offline };
    const found = this.names.resolve(principal, name, lookup);
    if (!chosen.stream) return sendJson(response, { Path: (await found).path });
    try {
      await writeLine(response, { Path: (await found).path }, signal);
    } catch (error) {
      // A stream without results is empty, as in Kubo.
      const isEmpty = isCairnError(error, 'NAME_UNRESOLVED') && error.details.reason === 'no-record';
      if (!isEmpty) throw error;
    }
    endLines(response);
  }
}

import { Inject, Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { argument } from '../paths.ts';
import { sendHead, streamHeaders, write } from '../write.ts';
import { AccountRecords } from './name-records.ts';
import { parseName } from './name-text.ts';

const options = { offline: { kind: 'boolean', default: false } } as const;

/** `name/get`: returns the signed record of a name. */
@Injectable()
export class NameGetCommand implements Command<typeof options> {
  readonly name = 'name/get';
  readonly scope = 'read';
  readonly args = { name: 'name', min: 1, max: 1 };
  readonly options = options;

  constructor(@Inject(AccountRecords) private readonly records: AccountRecords) {}

  async run({ principal, args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    this.records.requireOnline();
    const name = parseName(argument(args, 0, 'name'));
    const bytes = await this.records.get(principal, name, { signal, isOffline: chosen.offline });
    sendHead(response, { ...streamHeaders, 'content-type': 'application/vnd.ipfs.ipns-record' });
    await write(response, bytes, signal);
    response.end();
  }
}

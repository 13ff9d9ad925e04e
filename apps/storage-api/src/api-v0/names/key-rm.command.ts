import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { sendJson } from '../write.ts';
import { AccountNames, selfLabel } from './account-names.ts';
import { listEncoder } from './key-list.command.ts';
import { ipnsBase } from './name-text.ts';

const options = { l: { kind: 'boolean' }, ...ipnsBase } as const;

/** `key/rm`: removes keys. Their records stay until they expire. Keys before an unknown one are removed, as in Kubo. */
@Injectable()
export class KeyRmCommand implements Command<typeof options> {
  readonly name = 'key/rm';
  readonly scope = 'pin';
  readonly args = { name: 'name', min: 1, max: 100 };
  readonly options = options;

  constructor(@Inject(AccountNames) private readonly names: AccountNames) {}

  async run({ principal, args, options: chosen, response }: CommandContext<typeof options>): Promise<void> {
    const print = listEncoder(chosen['ipns-base']);
    const Keys: { Name: string; Id: string }[] = [];
    for (const label of args) {
      if (label === selfLabel) throw new ApiError(500, `cannot remove key with name '${selfLabel}'`);
      const { name } = await this.names.store.keys.remove(principal.account.id, label);
      Keys.push({ Name: label, Id: print(name) });
    }
    sendJson(response, { Keys });
  }
}

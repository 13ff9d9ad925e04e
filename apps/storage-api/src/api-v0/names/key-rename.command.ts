import { isCairnError } from '@cairn/errors';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { argument } from '../paths.ts';
import { sendJson } from '../write.ts';
import { AccountNames, selfLabel } from './account-names.ts';
import { checkLabel } from './key-label.ts';
import { ipnsBase, nameEncoder } from './name-text.ts';

const options = { force: { kind: 'boolean', alias: 'f', default: false }, ...ipnsBase } as const;

/** `key/rename`: gives a key another name within the account. Its IPNS name stays. */
@Injectable()
export class KeyRenameCommand implements Command<typeof options> {
  readonly name = 'key/rename';
  readonly scope = 'pin';
  readonly args = { name: ['name', 'newName'], min: 2, max: 2 };
  readonly options = options;

  constructor(@Inject(AccountNames) private readonly names: AccountNames) {}

  async run({ principal, args, options: chosen, response }: CommandContext<typeof options>): Promise<void> {
    const [from, to] = [argument(args, 0, 'name'), argument(args, 1, 'newName')];
    const print = nameEncoder(chosen['ipns-base']);
    if (from === selfLabel) throw new ApiError(500, `cannot rename key with name '${selfLabel}'`);
    if (to === selfLabel) throw new ApiError(500, `cannot overwrite key with name '${selfLabel}'`);
    checkLabel(to);
    const { key, isReplaced } = await this.names.store.keys
      .rename(principal.account.id, { from, to, isForced: chosen.force })
      .catch((error: unknown) => {
        throw isCairnError(error, 'IPNS_KEY_EXISTS')
          ? new ApiError(500, 'key by that name already exists, refusing to overwrite')
          : error;
      });
    sendJson(response, { Was: from, Now: to, Id: print(key.name), Overwrite: isReplaced });
  }
}

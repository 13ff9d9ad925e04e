import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { sendJson } from '../write.ts';
import { AccountNames } from './account-names.ts';
import { ipnsBase, nameEncoder } from './name-text.ts';

// The CLI prints the names of keys with `l`; the response always has them.
const options = { l: { kind: 'boolean' }, ...ipnsBase } as const;

/** `key/list`: lists the keys of the account. */
@Injectable()
export class KeyListCommand implements Command<typeof options> {
  readonly name: string = 'key/list';
  readonly scope = 'read';
  readonly args = { name: '', min: 0, max: 0 };
  readonly options = options;

  constructor(@Inject(AccountNames) private readonly names: AccountNames) {}

  async run({ principal, options: chosen, response }: CommandContext<typeof options>): Promise<void> {
    const print = listEncoder(chosen['ipns-base']);
    const keys = await this.names.list(principal);
    sendJson(response, { Keys: keys.map(({ label, name }) => ({ Name: label, Id: print(name) })) });
  }
}

/** `key/ls`: Kubo's older name of `key/list`. */
@Injectable()
export class KeyLsCommand extends KeyListCommand {
  override readonly name = 'key/ls';

  constructor(@Inject(AccountNames) names: AccountNames) {
    super(names);
  }
}

/** @throws ApiError 500 in the words of Kubo's commands that print many keys */
export function listEncoder(base: string): ReturnType<typeof nameEncoder> {
  try {
    return nameEncoder(base);
  } catch (error) {
    if (error instanceof ApiError) throw new ApiError(error.status, `cannot get key encoder: ${error.message}`);
    throw error;
  }
}

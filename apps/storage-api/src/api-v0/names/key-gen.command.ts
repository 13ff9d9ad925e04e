import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { argument } from '../paths.ts';
import { sendJson } from '../write.ts';
import { AccountNames, selfLabel } from './account-names.ts';
import { KeyGenerator } from './key-generator.ts';
import { checkLabel } from './key-label.ts';
import { ipnsBase, nameEncoder } from './name-text.ts';

const options = {
  type: { kind: 'text', alias: 't', default: 'ed25519' },
  size: { kind: 'integer', alias: 's', min: -(2 ** 31), max: 2 ** 31 - 1 },
  ...ipnsBase,
} as const;

/** `key/gen`: creates a key of the account. */
@Injectable()
export class KeyGenCommand implements Command<typeof options> {
  readonly name = 'key/gen';
  readonly scope = 'pin';
  readonly args = { name: 'name', min: 1, max: 1 };
  readonly options = options;

  constructor(
    @Inject(AccountNames) private readonly names: AccountNames,
    @Inject(KeyGenerator) private readonly generator: KeyGenerator,
  ) {}

  async run({ principal, args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const label = argument(args, 0, 'name');
    if (label === selfLabel) throw new ApiError(500, `cannot create key with name '${selfLabel}'`);
    checkLabel(label);
    const print = nameEncoder(chosen['ipns-base']);
    // Before the work of an RSA key.
    if ((await this.names.store.keys.get(principal.account.id, label)) !== undefined)
      throw new ApiError(500, `key with name '${label}' already exists`);
    const { type, size } = chosen;
    if (type !== 'ed25519' && type !== 'rsa') throw new ApiError(500, `unrecognized key type: ${type.slice(0, 64)}`);
    const { name } = await this.names.add(principal, label, await this.generator.generate(type, size, signal));
    sendJson(response, { Name: label, Id: print(name) });
  }
}

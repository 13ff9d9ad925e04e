import { signWith } from '@cairn/ipns';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { fileArgument } from '../file-argument.ts';
import { endLines, writeLine } from '../write.ts';
import { AccountNames, selfLabel } from './account-names.ts';
import { ipnsBase, nameEncoder } from './name-text.ts';
import { signedBytes, signedBytesMax } from './signed-bytes.ts';

const options = { key: { kind: 'text', alias: 'k', default: selfLabel }, ...ipnsBase } as const;

/** `key/sign`: signs data with a key of the account. A prefix keeps the signature from being one of another protocol. */
@Injectable()
export class KeySignCommand implements Command<typeof options> {
  readonly name = 'key/sign';
  readonly scope = 'pin';
  readonly args = { name: '', min: 0, max: 0 };
  readonly options = options;
  readonly file = 'data';

  constructor(@Inject(AccountNames) private readonly names: AccountNames) {}

  async run({ principal, options: chosen, request, response, signal }: CommandContext<typeof options>): Promise<void> {
    const print = nameEncoder(chosen['ipns-base']);
    const key = await this.names.find(principal, chosen.key || selfLabel);
    if (key === undefined) throw new ApiError(500, 'no key by the given name was found');
    const data = await fileArgument(request, { name: 'data', bytesMax: signedBytesMax, signal });
    const signature = signWith(this.names.open(principal.account.id, key), signedBytes(data));
    const Signature = `u${Buffer.from(signature).toString('base64url')}`;
    await writeLine(response, { Key: { Name: key.label, Id: print(key.name) }, Signature }, signal);
    endLines(response);
  }
}

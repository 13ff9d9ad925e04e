import type { Principal } from '@cairn/auth';
import type { CID } from '@cairn/cid';
import { decodeMultibase } from '@cairn/cid';
import { parseIpnsName, publicKeyOfName, verifySignature } from '@cairn/ipns';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { fileArgument } from '../file-argument.ts';
import { endLines, writeLine } from '../write.ts';
import { AccountNames, selfLabel } from './account-names.ts';
import { ipnsBase, nameEncoder } from './name-text.ts';
import { signedBytes, signedBytesMax } from './signed-bytes.ts';

const options = {
  key: { kind: 'text', alias: 'k', default: selfLabel },
  // RSA of 8192 bits in the longest base of practice, base16.
  signature: { kind: 'text', alias: 's', default: '', charactersMax: 2100 },
  ...ipnsBase,
} as const;

interface PublicKey {
  readonly label: string;
  readonly name: CID;
  readonly bytes: Uint8Array;
}

/** `key/verify`: verifies a signature of `key/sign` by a key of the account, or by any name that contains its key. */
@Injectable()
export class KeyVerifyCommand implements Command<typeof options> {
  readonly name = 'key/verify';
  readonly scope = 'read';
  readonly args = { name: '', min: 0, max: 0 };
  readonly options = options;
  readonly file = 'data';

  constructor(@Inject(AccountNames) private readonly names: AccountNames) {}

  async run({ principal, options: chosen, request, response, signal }: CommandContext<typeof options>): Promise<void> {
    const print = nameEncoder(chosen['ipns-base']);
    const { label, name, bytes } = await this.#keyOf(principal, chosen.key);
    const data = await fileArgument(request, { name: 'data', bytesMax: signedBytesMax, signal });
    const signature = decodeMultibase(Buffer.from(chosen.signature)).bytes;
    const SignatureValid = verifySignature(bytes, signedBytes(data), signature);
    await writeLine(response, { Key: { Name: label, Id: print(name) }, SignatureValid }, signal);
    endLines(response);
  }

  async #keyOf(principal: Principal, text: string): Promise<PublicKey> {
    const own = await this.names.find(principal, text);
    if (own !== undefined) {
      const { publicKey: bytes } = this.names.open(principal.account.id, own);
      return { label: own.label, name: own.name, bytes };
    }
    const name = parseIpnsName(text.replace(/^\/ipns\//, ''));
    if (name === undefined)
      throw new ApiError(500, `'${JSON.stringify(text)}' is not a known key, an IPNS Name, or a valid PeerID`);
    const bytes = publicKeyOfName(name);
    if (bytes === undefined) throw new ApiError(500, 'public key is not embedded in peer ID');
    return { label: '', name, bytes };
  }
}

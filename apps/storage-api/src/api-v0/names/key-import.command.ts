import { isCairnError } from '@cairn/errors';
import { decodeIpnsKey, decodePemKey, type IpnsKey } from '@cairn/ipns';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { fileArgument } from '../file-argument.ts';
import { argument } from '../paths.ts';
import { sendJson } from '../write.ts';
import { AccountNames, selfLabel } from './account-names.ts';
import { checkLabel } from './key-label.ts';
import { ipnsBase, nameEncoder } from './name-text.ts';

const formats = { protobuf: 'libp2p-protobuf-cleartext', pem: 'pem-pkcs8-cleartext' } as const;
const options = {
  format: { kind: 'text', alias: 'f', default: formats.protobuf },
  'allow-any-key-type': { kind: 'boolean', default: false },
  ...ipnsBase,
} as const;

/** Bytes of a key file: RSA of 8192 bits has 6.4 kB in PEM. */
const bytesMax = 16 * 1024;
/** Go's names of the key types that other clients rarely read. */
const goTypes = { secp256k1: '*crypto.Secp256k1PrivateKey', ecdsa: '*crypto.ECDSAPrivateKey' } as const;

/** `key/import`: stores a private key. */
@Injectable()
export class KeyImportCommand implements Command<typeof options> {
  readonly name = 'key/import';
  readonly scope = 'pin';
  readonly args = { name: 'name', min: 1, max: 1 };
  readonly options = options;
  readonly file = 'key';

  constructor(@Inject(AccountNames) private readonly names: AccountNames) {}

  async run(context: CommandContext<typeof options>): Promise<void> {
    const { principal, args, options: chosen, request, response, signal } = context;
    const label = argument(args, 0, 'name');
    if (label === selfLabel) throw new ApiError(500, `cannot import key with name '${selfLabel}'`);
    checkLabel(label);
    const print = nameEncoder(chosen['ipns-base']);
    const bytes = await fileArgument(request, { name: 'key', bytesMax, signal });
    const key = keyOf(bytes, chosen.format);
    if (!chosen['allow-any-key-type'] && (key.type === 'secp256k1' || key.type === 'ecdsa'))
      throw new ApiError(
        500,
        `key type ${goTypes[key.type]} is not allowed to be imported, only RSA or Ed25519; use flag --allow-any-key-type if you are sure of what you're doing`,
      );
    const { name } = await this.names.add(principal, label, key);
    sendJson(response, { Name: label, Id: print(name) });
  }
}

function keyOf(bytes: Buffer, format: string): IpnsKey {
  if (format === formats.pem) return decodePemKey(bytes.toString('latin1'));
  if (format !== formats.protobuf) throw new ApiError(500, `unrecognized import format: ${format.slice(0, 64)}`);
  if (bytes.toString('latin1').includes('-----BEGIN '))
    throw new ApiError(500, `unexpected PEM block for format=${format}: try again with format=${formats.pem}`);
  try {
    return decodeIpnsKey(bytes);
  } catch (error) {
    if (!isCairnError(error, 'IPNS_KEY_INVALID')) throw error;
    throw new ApiError(500, `unable to unmarshall format=${format}: ${String(error.details.words)}`);
  }
}

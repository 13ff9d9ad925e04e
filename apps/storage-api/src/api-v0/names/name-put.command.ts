import type { Principal } from '@cairn/auth';
import type { CID } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { decodeIpnsRecord, ipnsLimits } from '@cairn/ipns';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { fileArgument } from '../file-argument.ts';
import { argument } from '../paths.ts';
import { sendJson } from '../write.ts';
import { AccountRecords } from './name-records.ts';
import { parseName, printName } from './name-text.ts';

const options = {
  // Kubo skips verification with `force`. Here only valid records are stored.
  force: { kind: 'boolean', alias: 'f' },
  'allow-offline': { kind: 'boolean', default: false },
  'allow-delegated': { kind: 'boolean', default: false },
  quiet: { kind: 'boolean', alias: 'q' },
} as const;

/** `name/put`: stores a signed record, which anybody may have signed, and puts it to the network. */
@Injectable()
export class NamePutCommand implements Command<typeof options> {
  readonly name = 'name/put';
  readonly scope = 'pin';
  readonly args = { name: 'name', min: 1, max: 1 };
  readonly options = options;
  readonly file = 'record';

  constructor(@Inject(AccountRecords) private readonly records: AccountRecords) {}

  async run(context: CommandContext<typeof options>): Promise<void> {
    const { principal, args, options: chosen, request, response, signal } = context;
    if (!chosen['allow-offline']) this.records.requireOnline();
    const name = parsed(argument(args, 0, 'name'));
    const { recordBytesMax } = ipnsLimits;
    const bytes = await fileArgument(request, { name: 'record', bytesMax: 8 * recordBytesMax, signal });
    if (bytes.length > recordBytesMax)
      throw new ApiError(500, `record exceeds maximum size of ${recordBytesMax} bytes, use --force to skip size check`);
    const Value = await this.#put(principal, name, bytes);
    sendJson(response, { Name: printName(name), Value });
  }

  async #put(principal: Principal, name: CID, bytes: Uint8Array): Promise<string> {
    try {
      const { value } = decodeIpnsRecord(bytes);
      await this.records.put(principal, name, bytes);
      return value;
    } catch (error) {
      if (!isCairnError(error, 'IPNS_RECORD_INVALID')) throw error;
      const { words, stage } = error.details;
      throw new ApiError(
        500,
        `${stage === 'decode' ? 'invalid IPNS record' : 'record validation failed'}: ${String(words)}`,
      );
    }
  }
}

function parsed(text: string): CID {
  try {
    return parseName(text);
  } catch (error) {
    throw error instanceof ApiError ? new ApiError(500, `invalid IPNS name: ${error.message}`) : error;
  }
}

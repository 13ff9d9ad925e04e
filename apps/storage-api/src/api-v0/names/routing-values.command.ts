import { ipnsLimits, peerIdText } from '@cairn/ipns';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { fileArgument } from '../file-argument.ts';
import { argument } from '../paths.ts';
import { endLines, writeLine } from '../write.ts';
import { AccountRecords } from './name-records.ts';
import { parseName } from './name-text.ts';

/** Type of an event with a value, as in libp2p's routing events. */
const valueEvent = 5;

const getOptions = { offline: { kind: 'boolean', default: false } } as const;
const putOptions = { 'allow-offline': { kind: 'boolean', default: false } } as const;

const publicKeyPrefix = '/pk/';

/** Parses a key of the routing system. Records of other kinds are not stored here. @throws ApiError 500 */
function nameOfKey(key: string) {
  if (!key.startsWith('/ipns/')) throw new ApiError(500, 'invalid key');
  return parseName(key);
}

/** Refuses a valid key `/pk/<peer>` as a Kubo that finds no such record. @throws ApiError 500 */
function refusePublicKey(key: string): void {
  if (!key.startsWith(publicKeyPrefix)) return;
  parseName(key.slice(publicKeyPrefix.length));
  throw new ApiError(500, 'routing: not found');
}

/** `routing/get`: returns the newest record of a key `/ipns/<name>`. Public keys, `/pk/<peer>`, are not found. */
@Injectable()
export class RoutingGetCommand implements Command<typeof getOptions> {
  readonly name = 'routing/get';
  readonly scope = 'read';
  readonly args = { name: 'key', min: 1, max: 1 };
  readonly options = getOptions;

  constructor(@Inject(AccountRecords) private readonly records: AccountRecords) {}

  async run({ principal, args, options: chosen, response, signal }: CommandContext<typeof getOptions>): Promise<void> {
    this.records.requireOnline();
    const key = argument(args, 0, 'key');
    refusePublicKey(key);
    const name = nameOfKey(key);
    const bytes = await this.records.get(principal, name, { signal, isOffline: chosen.offline });
    const Extra = Buffer.from(bytes).toString('base64');
    await writeLine(response, { ID: '', Type: valueEvent, Responses: null, Extra }, signal);
    endLines(response);
  }
}

/** `routing/put`: stores a valid record of a key `/ipns/<name>`, and puts it to the network. */
@Injectable()
export class RoutingPutCommand implements Command<typeof putOptions> {
  readonly name = 'routing/put';
  readonly scope = 'pin';
  readonly args = { name: 'key', min: 1, max: 1 };
  readonly options = putOptions;
  readonly file = 'value-file';

  constructor(@Inject(AccountRecords) private readonly records: AccountRecords) {}

  async run(context: CommandContext<typeof putOptions>): Promise<void> {
    const { principal, args, options: chosen, request, response, signal } = context;
    if (!chosen['allow-offline'])
      this.records.requireOnline("can't put while offline: pass `--allow-offline` to override");
    const key = argument(args, 0, 'key');
    // A text that is no name is reported before one without /ipns/, as in Kubo.
    parseName(key);
    const name = nameOfKey(key);
    const { recordBytesMax: bytesMax } = ipnsLimits;
    const bytes = await fileArgument(request, { name: 'value-file', bytesMax, signal });
    await this.records.put(principal, name, bytes);
    await writeLine(response, { ID: peerIdText(name), Type: valueEvent, Responses: null, Extra: '' }, signal);
    endLines(response);
  }
}

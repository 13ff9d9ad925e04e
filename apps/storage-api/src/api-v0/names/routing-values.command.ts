import type { CID } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { ipnsLimits, peerIdText } from '@cairn/ipns';
import type { PeerApi } from '@cairn/peer-api';
import { PEER_API } from '@cairn/peer-api/nest';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { fileArgument } from '../file-argument.ts';
import { argument } from '../paths.ts';
import { withinBounds } from '../peer/bounded-call.ts';
import { peerLimits } from '../peer/limits.ts';
import { NetworkPermits } from '../peer/network-permits.ts';
import { endLines, writeLine } from '../write.ts';
import { AccountRecords } from './name-records.ts';
import { parseName } from './name-text.ts';

/** Type of an event with a value, as in libp2p's routing events. */
const valueEvent = 5;

const getOptions = { offline: { kind: 'boolean', default: false } } as const;
const putOptions = { 'allow-offline': { kind: 'boolean', default: false } } as const;

const publicKeyPrefix = '/pk/';
const notFound = 'routing: not found';

/** Parses a key of the routing system. Records of other kinds are not stored here. @throws ApiError 500 */
function nameOfKey(key: string) {
  if (!key.startsWith('/ipns/')) throw new ApiError(500, 'invalid key');
  return parseName(key);
}

/** Parses a key `/pk/<peer>`; returns `undefined` for other keys. @throws ApiError 500 */
function peerOfKey(key: string) {
  return key.startsWith(publicKeyPrefix) ? parseName(key.slice(publicKeyPrefix.length)) : undefined;
}

/** `routing/get`: returns the newest record of a key `/ipns/<name>`, and the public key `/pk/<peer>` of a peer. */
@Injectable()
export class RoutingGetCommand implements Command<typeof getOptions> {
  readonly name = 'routing/get';
  readonly scope = 'read';
  readonly args = { name: 'key', min: 1, max: 1 };
  readonly options = getOptions;

  constructor(
    @Inject(AccountRecords) private readonly records: AccountRecords,
    @Inject(PEER_API) private readonly peer: PeerApi | undefined,
    @Inject(NetworkPermits) private readonly permits: NetworkPermits,
  ) {}

  async run(context: CommandContext<typeof getOptions>): Promise<void> {
    const { principal, args, options: chosen, response, signal } = context;
    this.records.requireOnline();
    const key = argument(args, 0, 'key');
    const owner = peerOfKey(key);
    const bytes =
      owner === undefined
        ? await this.records.get(principal, nameOfKey(key), { signal, isOffline: chosen.offline })
        : await this.#publicKey(owner, context);
    const Extra = Buffer.from(bytes).toString('base64');
    await writeLine(response, { ID: '', Type: valueEvent, Responses: null, Extra }, signal);
    endLines(response);
  }

  /** Searches the DHT. The peer verifies the key against the ID. @throws ApiError 500 in Kubo's words */
  async #publicKey({ multihash }: CID, { principal, options: chosen, signal }: CommandContext<typeof getOptions>) {
    const { peer } = this;
    if (peer === undefined || chosen.offline) throw new ApiError(500, notFound);
    const key = Buffer.concat([Buffer.from(publicKeyPrefix), multihash.bytes]);
    const get = () =>
      withinBounds({ signal, msMax: peerLimits.queryMsMax }, (bound) => peer.routing.get(key, { signal: bound }));
    try {
      return await this.permits.run(principal.account.id, get);
    } catch (error) {
      const isAbsent = isCairnError(error, 'RECORD_NOT_FOUND') || isCairnError(error, 'ROUTING_UNAVAILABLE');
      throw isAbsent ? new ApiError(500, notFound) : error;
    }
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

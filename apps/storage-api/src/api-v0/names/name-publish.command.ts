import type { Principal } from '@cairn/auth';
import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { resolveDagPath } from '@cairn/dag';
import { ipnsLimits, publishName, routingKeyOf } from '@cairn/ipns';
import type { PeerApi } from '@cairn/peer-api';
import { PEER_API } from '@cairn/peer-api/nest';
import { timeLimit } from '@cairn/platform';
import { parsePath } from '@cairn/unixfs';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { parseGoDurationNs } from '../go-duration-ns.ts';
import { argument, resolveOptionsOf } from '../paths.ts';
import { sendJson } from '../write.ts';
import { AccountNames, selfLabel } from './account-names.ts';
import { cleanNames } from './name-path.ts';
import { ipnsBase, printName } from './name-text.ts';

const options = {
  key: { kind: 'text', alias: 'k', default: selfLabel },
  resolve: { kind: 'boolean', default: true },
  lifetime: { kind: 'text', alias: 't', default: '48h' },
  ttl: { kind: 'text', default: '5m' },
  quieter: { kind: 'boolean', alias: 'Q' },
  v1compat: { kind: 'boolean', default: true },
  'allow-offline': { kind: 'boolean', default: false },
  'allow-delegated': { kind: 'boolean', default: false },
  sequence: { kind: 'integer', type: 'uint64', min: 0, max: Number.MAX_SAFE_INTEGER },
  offline: { kind: 'boolean', default: false },
  // Offered as in Kubo, whose HTTP API ignores it.
  ...ipnsBase,
} as const;

const offlineMessage =
  "can't publish while offline: pass `--allow-offline` to override or `--allow-delegated` if Ipns.DelegatedPublishers are set up";
/** Time that a search for an earlier record may take. */
const searchMs = 10_000;

/**
 * `name/publish`: signs a record that points a name of the account to a path. The record is durable and resolved here when
 * the response is sent. The network gets it within seconds, and again until the key is removed.
 */
@Injectable()
export class NamePublishCommand implements Command<typeof options> {
  readonly name = 'name/publish';
  readonly scope = 'pin';
  readonly args = { name: 'ipfs-path', min: 1, max: 1 };
  readonly options = options;

  constructor(
    @Inject(AccountNames) private readonly names: AccountNames,
    @Inject(BLOCKSTORE) private readonly blocks: Blockstore,
    @Inject(PEER_API) private readonly peer: PeerApi | undefined,
  ) {}

  async run({ principal, args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const lifetimeNs = parseGoDurationNs(chosen.lifetime, 'error parsing lifetime option: ');
    const ttlNs = parseGoDurationNs(chosen.ttl);
    const lifetimeMs = Number(lifetimeNs / 1_000_000n);
    if (lifetimeMs > ipnsLimits.validityMsMax)
      throw new ApiError(400, `lifetime ${chosen.lifetime} is longer than 100 years; choose a shorter one`);
    const value = await this.#ownPath(principal, publishedPath(argument(args, 0, 'ipfs-path')));
    const isOnline = this.peer !== undefined && !chosen.offline;
    if (!isOnline && !chosen['allow-offline']) throw new ApiError(500, offlineMessage);
    if (chosen.resolve) {
      const { cid } = await resolveDagPath(this.blocks, value, resolveOptionsOf(signal));
      await this.blocks.get(cid, { signal });
    }
    const key = await this.names.find(principal, chosen.key);
    if (key === undefined) throw new ApiError(500, 'no key by the given name was found');
    await publishName(this.names.store.records, {
      account: principal.account.id,
      key: this.names.open(principal.account.id, key),
      ...{ value, lifetimeMs, ttlNs, hasV1: chosen.v1compat },
      ...(chosen.sequence !== undefined && { sequence: BigInt(chosen.sequence) }),
      ...(isOnline && { findElsewhere: () => this.#find(routingKeyOf(key.name), signal) }),
    });
    sendJson(response, { Name: printName(key.name), Value: value });
  }

  /** Replaces the peer ID of the node by the name of the account, which has a record. */
  async #ownPath(principal: Principal, path: string): Promise<string> {
    const [, namespace, root = '', ...rest] = path.split('/');
    if (namespace !== 'ipns') return path;
    return ['', namespace, await this.names.ownText(principal, root), ...rest].join('/');
  }

  /** A network that does not answer has no record: the sequence of this store decides. */
  async #find(key: Uint8Array, signal: AbortSignal): Promise<Uint8Array | undefined> {
    const bound = AbortSignal.any([signal, timeLimit(searchMs)]);
    return await this.peer?.routing.get(key, { signal: bound }).catch(() => undefined);
  }
}

/** Returns a path as a record has it. @throws PATH_INVALID */
function publishedPath(path: string): string {
  const names = cleanNames(path);
  const isName = path.startsWith('/') && names[0] === 'ipns' && names[1] !== undefined;
  if (!isName) parsePath(path);
  return path.startsWith('/') ? `/${names.join('/')}` : `/ipfs/${names.join('/')}`;
}

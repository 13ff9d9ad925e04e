import { type KeyGrant, requireGrant } from '@cairn/auth';
import type { Blockstore } from '@cairn/blockstore';
import type { PeerApi } from '@cairn/peer-api';
import type { Pinning } from '@cairn/pinning';
import { isPublicMultiaddr } from '@cairn/public-http';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import type { OptionSpecs } from '../options.ts';
import { searchWithinBounds, withinBounds } from './bounded-call.ts';
import { peerLimits } from './limits.ts';
import type { NetworkPermits } from './network-permits.ts';

/** Answers of a Kubo without a network, in its words. */
export const offlineAnswers = {
  action: new ApiError(500, "this action must be run in online mode, try running 'ipfs daemon' first"),
  command: new ApiError(500, "this command must be run in online mode. Try running 'ipfs daemon' first"),
  statistics: new ApiError(
    400,
    "unable to run offline: this command must be run in online mode. Try running 'ipfs daemon' first",
  ),
  resources: new ApiError(500, 'missing ResourceMgr: make sure the daemon is running with Swarm.ResourceMgr.Enabled'),
  put: new ApiError(500, "can't put while offline: pass `--allow-offline` to override"),
  noDht: new ApiError(500, 'routing service is not a DHT'),
} as const;

/** Stores and limits that these commands use. */
export interface PeerServices {
  /** Absent without `IPFS_PEER_URL`. */
  readonly peer: PeerApi | undefined;
  readonly pinning: Pick<Pinning, 'get' | 'findAncestorPin'>;
  readonly store: Blockstore;
  readonly permits: NetworkPermits;
}

/** One request of an account that the peer answers. */
export interface PeerContext<Specs extends OptionSpecs = OptionSpecs>
  extends CommandContext<Specs>,
    Pick<PeerServices, 'pinning' | 'store'> {
  readonly peer: PeerApi;
  /** True for a key with the grant `node`. */
  readonly isOperator: boolean;
  /** Addresses that the caller may see: public ones, and all for an operator. */
  visible(addresses: readonly string[]): readonly string[];
  /** Runs a call that ends with the request, or at a time limit. @throws ApiError 500 at the limit */
  within<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /** Yields the items of a search, which ends with the request, or silently at a time limit. */
  search<T>(open: (signal: AbortSignal) => AsyncIterable<T>, msMax?: number): AsyncGenerator<T>;
}

/** A command of Kubo about the peer. */
export interface PeerCommandDefinition<Specs extends OptionSpecs = OptionSpecs>
  extends Pick<Command<Specs>, 'name' | 'scope' | 'options' | 'args' | 'file'> {
  /** Permission that the key needs beside the scope: `node` for a command that concerns the operator. */
  readonly grant?: KeyGrant;
  /** Answer without a peer. */
  readonly offline: ApiError;
  /** True for a command that causes traffic. It takes a network permit. */
  readonly isQuery?: boolean;
  /** Checks that Kubo makes before it requires a network. */
  check?(context: Pick<CommandContext<Specs>, 'args' | 'options'>): void;
  run(context: PeerContext<Specs>): Promise<void>;
}

/** Types the options of a definition by its option specs. */
export function definePeerCommand<const Specs extends OptionSpecs>(
  definition: PeerCommandDefinition<Specs>,
): PeerCommandDefinition<Specs> {
  return definition;
}

/** A command that runs with a peer. Without one it responds like a Kubo without a network. */
export class PeerCommand implements Command {
  readonly name: string;
  readonly scope: Command['scope'];
  readonly options: OptionSpecs;
  readonly args: Command['args'];
  readonly file?: string;
  readonly grant: KeyGrant | undefined;
  readonly isRefused: boolean;
  readonly #definition: PeerCommandDefinition;
  readonly #services: PeerServices | undefined;

  /** @param services absent where only the description is read */
  constructor(definition: PeerCommandDefinition, services: PeerServices | undefined) {
    const { name, scope, options, args, file, grant } = definition;
    this.name = name;
    this.scope = scope;
    this.options = options;
    this.args = args;
    this.grant = grant;
    if (file !== undefined) this.file = file;
    this.isRefused = services !== undefined && services.peer === undefined;
    this.#definition = definition;
    this.#services = services;
  }

  async run(context: CommandContext): Promise<void> {
    const { offline, isQuery = false } = this.#definition;
    const services = this.#services;
    const peer = services?.peer;
    if (services === undefined || peer === undefined) {
      this.#definition.check?.(context);
      throw new ApiError(offline.status, offline.message);
    }
    if (this.grant !== undefined) requireGrant(context.principal.key.policy, this.grant);
    this.#definition.check?.(context);
    const run = () => this.#definition.run(peerContext(context, services, peer));
    if (isQuery) await services.permits.run(context.principal.account.id, run);
    else await run();
  }
}

/** Extends a request by the peer. */
function peerContext<Specs extends OptionSpecs>(
  context: CommandContext<Specs>,
  { pinning, store }: Pick<PeerServices, 'pinning' | 'store'>,
  peer: PeerApi,
): PeerContext<Specs> {
  const { signal } = context;
  const isOperator = hasNodeGrant(context);
  return {
    ...context,
    pinning,
    store,
    peer,
    isOperator,
    visible: (addresses) => (isOperator ? addresses : addresses.filter(isPublicMultiaddr)),
    within: (call) => withinBounds({ signal, msMax: peerLimits.queryMsMax }, call),
    search: (open, msMax = peerLimits.queryMsMax) => searchWithinBounds({ signal, msMax }, open),
  };
}

export function hasNodeGrant({ principal }: Pick<CommandContext, 'principal'>): boolean {
  return principal.key.policy.grants?.includes('node') === true;
}

import { isCairnError } from '@cairn/errors';
import type { NodeDescription, PeerApi } from '@cairn/peer-api';
import { PEER_API } from '@cairn/peer-api/nest';
import { isPublicMultiaddr } from '@cairn/public-http';
import { Inject, Injectable } from '@nestjs/common';
import manifest from '../../../package.json' with { type: 'json' };
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { withinBounds } from '../peer/bounded-call.ts';
import { describedNode } from '../peer/described-node.ts';
import { peerLimits } from '../peer/limits.ts';
import { NetworkPermits } from '../peer/network-permits.ts';
import { hasNodeGrant } from '../peer/peer-command.ts';
import { inlinePublicKey, type PeerId, parsePeerId, printPeerId } from '../peer/peer-id.ts';
import { workOf } from '../with-work.ts';
import { sendJson } from '../write.ts';
import { PeerIdentity } from './peer-identity.ts';

const options = {
  // The CLI prints by this option.
  format: { kind: 'text', alias: 'f' },
  'peerid-base': { kind: 'text', default: 'b58mh' },
  offline: { kind: 'boolean', default: false },
} as const;

const offlineMessage =
  "'ipfs id' cannot query information on remote peers without a running daemon; if you only want to convert --peerid-base, pass --offline option";

/** Kubo no longer sends it; older clients expect it. */
const protocolVersion = 'ipfs/0.1.0';

/**
 * `id`: returns the identity and addresses of this node, or of another one, which is searched for. Keys without the grant
 * `node` see public addresses only.
 */
@Injectable()
export class IdCommand implements Command<typeof options> {
  readonly name = 'id';
  readonly scope = 'read';
  readonly args = { name: 'peerid', min: 0, max: 1 };
  readonly options = options;

  constructor(
    @Inject(PeerIdentity) private readonly identity: PeerIdentity,
    @Inject(PEER_API) private readonly peer: PeerApi | undefined,
    @Inject(NetworkPermits) private readonly permits: NetworkPermits,
  ) {}

  async run(context: CommandContext<typeof options>): Promise<void> {
    const { args, response, options: chosen } = context;
    const [given] = args;
    const asked = given === undefined ? undefined : parsePeer(given);
    const self = await this.#self(context);
    const isSelf = asked === undefined || asked.text === self.id;
    const node = isSelf ? self : await this.#other(asked, context);
    const isOperator = hasNodeGrant(context);
    const visible = (addresses: readonly string[]) => (isOperator ? addresses : addresses.filter(isPublicMultiaddr));
    const printed = describedNode(node, visible);
    const ID = printPeerId(parsePeerId(node.id), chosen['peerid-base']);
    const { protocolVersion: ProtocolVersion } = node;
    sendJson(response, { ...printed, ID, ProtocolVersion });
  }

  /** Describes this node. While the peer does not answer, it is a node without addresses. */
  async #self({ signal }: CommandContext<typeof options>): Promise<NodeDescription> {
    const { peer } = this;
    try {
      if (peer !== undefined) return await within(signal, (bound) => peer.describe(undefined, { signal: bound }));
    } catch (error) {
      if (!isCairnError(error, 'PEER_UNAVAILABLE')) throw error;
    }
    const { id, publicKey } = await this.identity.get();
    return { ...unknownNode, id, publicKey, agentVersion: `cairn/${manifest.version}` };
  }

  /** Describes another node without a connection. Kubo gives an unknown one the address of its ID. */
  async #known(asked: PeerId, signal: AbortSignal): Promise<NodeDescription> {
    const { peer } = this;
    try {
      if (peer !== undefined)
        return await within(signal, (bound) => peer.describe(asked.text, { signal: bound, isLocal: true }));
    } catch (error) {
      if (!isCairnError(error, 'PEER_NOT_FOUND') && !isCairnError(error, 'PEER_UNAVAILABLE')) throw error;
    }
    const { text: id } = asked;
    return { ...unknownNode, id, publicKey: inlinePublicKey(asked), addresses: [`/p2p/${id}`] };
  }

  async #other(asked: PeerId, context: CommandContext<typeof options>): Promise<NodeDescription> {
    const { signal, principal, options: chosen } = context;
    const { peer } = this;
    if (chosen.offline) return await this.#known(asked, signal);
    if (peer === undefined) throw new ApiError(500, offlineMessage);
    workOf(signal)?.queries(1);
    return await this.permits.run(principal.account.id, async () => {
      try {
        return await within(signal, (bound) => peer.describe(asked.text, { signal: bound }));
      } catch (error) {
        if (isCairnError(error, 'PEER_NOT_FOUND')) throw new ApiError(500, 'routing: not found');
        // The reason may quote addresses of the operator's network.
        if (isCairnError(error, 'DIAL_FAILED') && !hasNodeGrant(context))
          throw new ApiError(500, `failed to dial: failed to dial ${asked.text}`);
        if (isCairnError(error, 'DIAL_FAILED')) throw new ApiError(500, `failed to dial: ${error.message}`);
        throw error;
      }
    });
  }
}

const unknownNode: Omit<NodeDescription, 'id' | 'publicKey'> = {
  addresses: [],
  agentVersion: '',
  protocolVersion,
  protocols: [],
};

function within<T>(signal: AbortSignal, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return withinBounds({ signal, msMax: peerLimits.queryMsMax }, call);
}

/** @throws ApiError in Kubo's words */
function parsePeer(text: string): PeerId {
  try {
    return parsePeerId(text);
  } catch (error) {
    throw error instanceof ApiError ? new ApiError(500, 'invalid peer id') : error;
  }
}

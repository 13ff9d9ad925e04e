import { Inject, Injectable } from '@nestjs/common';
import manifest from '../../../package.json' with { type: 'json' };
import { ApiError } from '../api-error.ts';
import { decodePeerId } from '../cid/cid-parts.ts';
import type { Command, CommandContext } from '../command.ts';
import { sendJson } from '../write.ts';
import { PeerIdentity } from './peer-identity.ts';

/** `id`: returns the identity of this service. It has no addresses, since it does not connect to peers. */
@Injectable()
export class IdCommand implements Command<Record<never, never>> {
  readonly name = 'id';
  readonly scope = 'read';
  readonly args = { name: 'peerid', min: 0, max: 1 };
  readonly options = {};

  constructor(@Inject(PeerIdentity) private readonly identity: PeerIdentity) {}

  async run({ args, response }: CommandContext<Record<never, never>>): Promise<void> {
    const { id, publicKey } = await this.identity.get();
    const [asked = id] = args;
    if (asked !== id && decodePeerId(asked) === undefined) throw new ApiError(500, 'invalid peer id');
    if (asked !== id) throw new ApiError(500, 'this node does not talk to other peers; ask without an argument');
    sendJson(response, {
      ID: id,
      PublicKey: publicKey,
      Addresses: [],
      AgentVersion: `cairn/${manifest.version}`,
      // Kubo no longer sends it; older clients expect it.
      ProtocolVersion: 'ipfs/0.1.0',
      Protocols: [],
    });
  }
}

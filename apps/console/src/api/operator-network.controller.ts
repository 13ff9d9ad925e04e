import { CairnError } from '@cairn/errors';
import type { PeerApi } from '@cairn/peer-api';
import { PEER_API } from '@cairn/peer-api/nest';
import { timeLimit } from '@cairn/platform';
import { Controller, Delete, Get, HttpCode, Inject, Post } from '@nestjs/common';
import * as z from 'zod';
import { Describe, TakesBody, TakesQuery } from '../describe.ts';
import { ForOperators } from '../session.ts';

/** Peers on the page: those with the most recent traffic are first in the list of the IPFS peer. */
const rowsMax = 200;
/** Time for a connection to a peer, in milliseconds. */
const connectMs = 15_000;

const address = z
  .string({ error: 'expected a multiaddress' })
  .trim()
  .regex(/^\/[^\s]{1,1000}$/, 'expected a multiaddress, such as /ip4/203.0.113.5/tcp/4001/p2p/12D3…');
const newConnection = z.strictObject({ address });
const oldConnection = z.object({ peer: z.string().regex(/^[A-Za-z0-9]{1,128}$/, 'expected a peer ID') });

/** State of the IPFS peer: identity, connections, traffic and announced records. For operators. */
@ForOperators()
@Controller('api/operator/network')
export class OperatorNetworkController {
  constructor(@Inject(PEER_API) private readonly peer: PeerApi | undefined) {}

  @Describe('The IPFS peer: identity, connections, traffic, fetched and served blocks, announced records.')
  @Get()
  async state() {
    const { peer } = this;
    if (peer === undefined) return { isConfigured: false };
    const [node, peers, traffic, bitswap, records] = await Promise.all([
      peer.describe(),
      peer.swarm.peers(),
      peer.bandwidth(),
      peer.bitswap.status(),
      peer.provide.status(),
    ]);
    const { wantlist, peers: partners, ...blocks } = bitswap;
    return {
      isConfigured: true,
      node,
      peers: peers.slice(0, rowsMax),
      peerCount: peers.length,
      traffic,
      blocks: { ...blocks, wanted: wantlist.length, partners: partners.length },
      records,
    };
  }

  @Describe('Connects the IPFS peer to a node.')
  @HttpCode(200)
  @Post('peers')
  async connect(@TakesBody(newConnection) { address: to }: z.infer<typeof newConnection>) {
    return await this.#required().swarm.connect(to, { signal: timeLimit(connectMs) });
  }

  @Describe('Closes the connections to a peer.')
  @Delete('peers')
  async disconnect(@TakesQuery(oldConnection) { peer }: z.infer<typeof oldConnection>) {
    return await this.#required().swarm.disconnect(`/p2p/${peer}`);
  }

  #required(): PeerApi {
    if (this.peer === undefined) throw peerMissing();
    return this.peer;
  }
}

function peerMissing(): CairnError {
  return new CairnError('SERVICE_UNREACHABLE', 'This deployment has no IPFS peer.', {
    hint: 'Start one and set IPFS_PEER_URL.',
  });
}

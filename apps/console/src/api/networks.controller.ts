import type { SignedIn } from '@cairn/auth';
import type { Network } from '@cairn/chain-store';
import { CairnError } from '@cairn/errors';
import { Body, Controller, Get, HttpCode, Inject, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Describe } from '../describe.ts';
import { hostOf, NetworkStates } from '../network-states.ts';
import { Me } from '../session.ts';
import { NETWORKS } from '../tokens.ts';
import { Upstream } from '../upstream.ts';

/** The networks of the gateway, and JSON-RPC on behalf of the account. */
@Controller('api/networks')
export class NetworksController {
  constructor(
    @Inject(NETWORKS) private readonly networks: readonly Network[],
    @Inject(Upstream) private readonly upstream: Upstream,
    @Inject(NetworkStates) private readonly states: NetworkStates,
  ) {}

  @Describe('The networks and the head of each.')
  @Get()
  async list(@Me() { account }: SignedIn): Promise<readonly object[]> {
    return await this.states.list(account.id);
  }

  /** Passes one JSON-RPC body on unchanged. @throws NETWORK_NOT_FOUND */
  @Describe('Sends a JSON-RPC body to a network on behalf of the account.')
  @HttpCode(200)
  @Post(':name/rpc')
  async rpc(
    @Me() { account }: SignedIn,
    @Param('name') name: string,
    @Body() body: unknown,
    @Res() response: Response,
  ) {
    const network = this.networks.find((one) => one.name === name);
    if (network === undefined)
      throw new CairnError('NETWORK_NOT_FOUND', `There is no network ${JSON.stringify(name.slice(0, 64))}.`);
    const answer = await this.upstream.gateway(account.id, hostOf(network.hosts), JSON.stringify(body ?? null));
    response.status(answer.status).setHeader('content-type', 'application/json');
    response.end(await answer.body.text());
  }
}

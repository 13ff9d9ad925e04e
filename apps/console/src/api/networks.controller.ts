import { AuthError, type SignedIn } from '@cairn/auth';
import type { Network } from '@cairn/chain-store';
import { CairnError } from '@cairn/errors';
import { Body, Controller, Get, HttpCode, Inject, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import * as z from 'zod';
import { Describe, TakesQuery } from '../describe.ts';
import { hostOf, NetworkStates } from '../network-states.ts';
import { EventStreams } from '../networks/event-streams.ts';
import { Me } from '../session.ts';
import { NETWORKS } from '../tokens.ts';
import { Upstream } from '../upstream.ts';

const eventsQuery = z.object({
  kind: z.enum(['newHeads', 'logs', 'transactionReceipts', 'newPendingTransactions', 'syncing'], {
    error: 'expected newHeads, logs, transactionReceipts, newPendingTransactions or syncing',
  }),
  filter: z.string().max(8192, 'expected 8192 characters at most').optional(),
});

/** The networks of the gateway, and JSON-RPC on behalf of the account. */
@Controller('api/networks')
export class NetworksController {
  constructor(
    @Inject(NETWORKS) private readonly networks: readonly Network[],
    @Inject(Upstream) private readonly upstream: Upstream,
    @Inject(NetworkStates) private readonly states: NetworkStates,
    @Inject(EventStreams) private readonly streams: EventStreams,
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
    const answer = await this.upstream.gateway(account.id, this.#hostOf(name), JSON.stringify(body ?? null));
    response.status(answer.status).setHeader('content-type', 'application/json');
    response.end(await answer.body.text());
  }

  @Describe('The methods of the gateway as an OpenRPC document.')
  @Get('methods')
  async methods(@Res() response: Response) {
    const { status, body } = await this.upstream.methods();
    response.status(status === 200 ? 200 : 502).setHeader('content-type', 'application/json');
    response.end(await body.text());
  }

  @Describe('Events of a subscription as lines of JSON, until the client leaves.', 'application/x-ndjson')
  @Get(':name/events')
  async events(
    @Me() { account }: SignedIn,
    @Param('name') name: string,
    @TakesQuery(eventsQuery) { kind, filter }: z.infer<typeof eventsQuery>,
    @Res() response: Response,
  ) {
    const wanted = filter === undefined ? { kind } : { kind, filter: parseFilter(filter) };
    await this.streams.stream(response, { ...wanted, accountId: account.id, host: this.#hostOf(name) });
  }

  /** @throws NETWORK_NOT_FOUND */
  #hostOf(name: string): string {
    const network = this.networks.find((one) => one.name === name);
    if (network === undefined)
      throw new CairnError('NETWORK_NOT_FOUND', `There is no network ${JSON.stringify(name.slice(0, 64))}.`);
    return hostOf(network.hosts);
  }
}

/** @throws VALUE_INVALID */
function parseFilter(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new AuthError('VALUE_INVALID', 'filter: expected JSON.', { details: { field: 'filter' } });
  }
}

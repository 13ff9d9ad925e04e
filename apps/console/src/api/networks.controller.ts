import type { SignedIn } from '@cairn/auth';
import type { Network } from '@cairn/chain-store';
import { CairnError } from '@cairn/errors';
import { Body, Controller, Get, HttpCode, Inject, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { Says } from '../describe.ts';
import { Me } from '../session.ts';
import { NETWORKS } from '../tokens.ts';
import { Upstream } from '../upstream.ts';

interface Answer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

interface Head {
  readonly number: string;
  readonly hash: string;
  readonly timestamp: string;
}

/** The networks of the gateway, and JSON-RPC to them in the name of the account. */
@Controller('api/networks')
export class NetworksController {
  constructor(
    @Inject(NETWORKS) private readonly networks: readonly Network[],
    @Inject(Upstream) private readonly upstream: Upstream,
  ) {}

  @Says('The networks with their heads.')
  @Get()
  async list(@Me() { account }: SignedIn) {
    return await Promise.all(this.networks.map((network) => this.#state(account.id, network)));
  }

  async #state(accountId: string, { name, hosts, ...network }: Network) {
    const requests = ['eth_chainId', 'eth_getBlockByNumber'].map((method, id) => ({
      jsonrpc: '2.0',
      id,
      method,
      params: id === 0 ? [] : ['latest', false],
    }));
    const known = { name, hosts, isFollowing: 'source' in network && network.source !== undefined };
    try {
      const { body } = await this.upstream.gateway(accountId, hostOf(hosts), JSON.stringify(requests));
      const told = JSON.parse(await body.text()) as readonly Answer[] | Answer;
      const answers = Array.isArray(told) ? (told as readonly Answer[]) : [told as Answer];
      const failed = answers.find(({ error }) => error !== undefined)?.error;
      if (failed) return { ...known, error: failed.message };
      const head = answers.find(({ id }) => id === 1)?.result as Head;
      return {
        ...known,
        chainId: Number(answers.find(({ id }) => id === 0)?.result),
        head: { number: Number(head.number), hash: head.hash, timestamp: Number(head.timestamp) },
        lagSeconds: Math.max(0, Math.round(Date.now() / 1000 - Number(head.timestamp))),
      };
    } catch {
      return { ...known, error: 'The gateway cannot be reached.' };
    }
  }

  /** One body of JSON-RPC, as it is. @throws NETWORK_NOT_FOUND */
  @Says('A body of JSON-RPC for a network, in the name of the account.')
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

/** A name that the gateway knows the network by. */
function hostOf(hosts: readonly string[]): string {
  return hosts.find((host) => host !== '*') ?? 'localhost';
}

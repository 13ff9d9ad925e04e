import { isUpstreamNetwork, type Network } from '@cairn/chain-store';
import { Inject, Injectable } from '@nestjs/common';
import { NETWORKS } from './tokens.ts';
import { Upstream } from './upstream.ts';

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

interface KnownState {
  readonly name: string;
  readonly hosts: readonly string[];
  /** Origin of the blocks: imported files, a node whose chain is executed here, or upstreams whose answers are verified. */
  readonly source: 'files' | 'node' | 'upstreams';
}

type NetworkState = KnownState &
  (
    | { readonly error: string }
    | {
        readonly chainId: number;
        readonly head: { readonly number: number; readonly hash: string; readonly timestamp: number };
        readonly lagSeconds: number;
      }
  );

/** Age in milliseconds up to which all viewers share one answer, so that many viewers cost the gateway no more than one. */
const freshMs = 2000;

/** Time in milliseconds after which the gateway counts as not reachable, so that the page Status appears when it hangs. */
const answerMsMax = 5000;

/** Heads of the networks. The console pays for these reads, not the customer. */
@Injectable()
export class NetworkStates {
  #states: Promise<readonly NetworkState[]> | undefined;
  #askedAt = 0;

  constructor(
    @Inject(NETWORKS) private readonly networks: readonly Network[],
    @Inject(Upstream) private readonly upstream: Pick<Upstream, 'gateway'>,
  ) {}

  /** @param accountId account of the viewer, on whose behalf the gateway is asked */
  list(accountId: string): Promise<readonly NetworkState[]> {
    const now = performance.now();
    if (this.#states === undefined || now - this.#askedAt >= freshMs) {
      this.#askedAt = now;
      this.#states = Promise.all(this.networks.map((network) => this.#state(accountId, network)));
    }
    return this.#states;
  }

  async #state(accountId: string, network: Network): Promise<NetworkState> {
    const requests = ['eth_chainId', 'eth_getBlockByNumber'].map((method, id) => ({
      jsonrpc: '2.0',
      id,
      method,
      params: id === 0 ? [] : ['latest', false],
    }));
    const { name, hosts } = network;
    const known = { name, hosts, source: sourceOf(network) };
    try {
      const body = JSON.stringify(requests);
      const signal = AbortSignal.timeout(answerMsMax);
      const answer = await this.upstream.gateway(accountId, hostOf(hosts), body, { payer: 'service', signal });
      const parsed = JSON.parse(await answer.body.text()) as readonly Answer[] | Answer;
      const answers = Array.isArray(parsed) ? (parsed as readonly Answer[]) : [parsed as Answer];
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
}

function sourceOf(network: Network): KnownState['source'] {
  if (isUpstreamNetwork(network)) return 'upstreams';
  return network.source === undefined ? 'files' : 'node';
}

/** Host name that selects the network at the gateway. */
export function hostOf(hosts: readonly string[]): string {
  return hosts.find((host) => host !== '*') ?? 'localhost';
}

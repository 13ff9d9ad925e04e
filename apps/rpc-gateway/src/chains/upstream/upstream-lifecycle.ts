import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import type { UpstreamChain } from './upstream-chain.ts';

/** Injection token of the networks with upstreams: a list has no class. */
export const UPSTREAM_CHAINS = Symbol('UPSTREAM_CHAINS');

/** Starts the head sources after the start of the service, and ends them and the upstreams with it. */
@Injectable()
export class UpstreamLifecycle implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  constructor(@Inject(UPSTREAM_CHAINS) readonly chains: readonly UpstreamChain[]) {}

  /** Reason why no network with upstreams can be served; `undefined` when one can, or when there is none. */
  get notReady(): string | undefined {
    if (this.chains.length === 0 || this.chains.some(({ heads }) => heads.heads !== undefined)) return undefined;
    return `no verified head yet: ${this.chains.map(({ network }) => network.name).join(', ')}`;
  }

  onApplicationBootstrap(): void {
    for (const chain of this.chains) chain.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.chains.map(({ heads }) => heads.close()));
  }

  /** Closes upstreams and caches. Calls that still run end with an error. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.chains.map((chain) => chain.close()));
  }
}

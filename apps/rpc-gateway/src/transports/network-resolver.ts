import { RpcError } from '@cairn/jsonrpc-core';
import { Inject, Injectable } from '@nestjs/common';
import type { Chain } from '../chains/chain.ts';
import { ChainLifecycle } from '../chains/chain-lifecycle.ts';
import { Networks } from '../chains/networks.ts';
import { TransportError } from './transport-error.ts';

/** Selects the network of a request by its Host header. */
@Injectable()
export class NetworkResolver {
  constructor(
    @Inject(Networks) private readonly networks: Networks,
    @Inject(ChainLifecycle) private readonly lifecycle: ChainLifecycle,
  ) {}

  /** @throws TransportError 503 before the networks are ready, 404 for an unknown host */
  resolve(host: string | undefined): Chain {
    const { notReady } = this.lifecycle;
    if (notReady !== undefined)
      throw new TransportError({
        status: 503,
        name: 'unavailable',
        message: `Not ready: ${notReady}.`,
        headers: { 'retry-after': '1' },
      });
    try {
      return this.networks.byHost(host);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      throw new TransportError({ status: 404, name: 'notFound', message: error.message });
    }
  }
}

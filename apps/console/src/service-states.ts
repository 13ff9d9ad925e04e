import type { Addresses } from './addresses.ts';
import type { Upstream } from './upstream.ts';

/** State of one service, as customers see it. */
export interface ServiceState {
  readonly name: string;
  readonly isReady: boolean;
  /** False for a service that the settings do not name and that has never answered. */
  readonly isDeployed: boolean;
}

/** Age in milliseconds up to which all viewers share one answer, so that many viewers cost the services no more than one. */
const freshMs = 5000;

/** States of the services without their reasons, which are for operators. */
export class ServiceStates {
  readonly #addresses: Addresses;
  readonly #upstream: Pick<Upstream, 'readiness'>;
  readonly #now: () => number;
  #states: Promise<readonly ServiceState[]> | undefined;
  #askedAt = 0;
  #hasIpfsGateway: boolean;

  constructor(
    addresses: Addresses,
    upstream: Pick<Upstream, 'readiness'>,
    now: () => number = () => performance.now(),
  ) {
    this.#addresses = addresses;
    this.#upstream = upstream;
    this.#now = now;
    this.#hasIpfsGateway = addresses.namesIpfsGateway;
  }

  list(): Promise<readonly ServiceState[]> {
    const now = this.#now();
    if (this.#states === undefined || now - this.#askedAt >= freshMs) {
      this.#askedAt = now;
      const { storage, gateway, ipfsGateway, ipfsPeer } = this.#addresses;
      this.#states = Promise.all([
        this.#state('Storage API', storage),
        this.#state('JSON-RPC', gateway),
        this.#ipfsGatewayState(ipfsGateway),
        ...(ipfsPeer === undefined ? [] : [this.#state('IPFS network', ipfsPeer)]),
      ]);
    }
    return this.#states;
  }

  async #state(name: string, url: string): Promise<ServiceState> {
    const { isReady } = await this.#upstream.readiness(url);
    return { name, isReady, isDeployed: true };
  }

  async #ipfsGatewayState(url: string): Promise<ServiceState> {
    const { isReady, isReachable } = await this.#upstream.readiness(url);
    this.#hasIpfsGateway ||= isReachable;
    return { name: 'IPFS gateway', isReady, isDeployed: this.#hasIpfsGateway };
  }
}

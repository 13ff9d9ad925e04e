import type { PeerApi } from '@cairn/peer-api';
import { PEER_API } from '@cairn/peer-api/nest';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Network } from './network.ts';
import { RootReports } from './root-reports.ts';

/** Connects reads, writes and pins of this service to the IPFS peer. The stores open before the client of the peer. */
@Injectable()
export class PeerConnection implements OnModuleDestroy {
  constructor(
    @Inject(PEER_API) peer: PeerApi | undefined,
    @Inject(Network) network: Network,
    @Inject(RootReports) private readonly reports: RootReports,
  ) {
    if (peer === undefined) return;
    network.connect(peer.exchange);
    reports.connect(peer.provide);
  }

  onModuleDestroy(): void {
    this.reports.stop();
  }
}

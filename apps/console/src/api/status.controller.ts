import type { SignedIn } from '@cairn/auth';
import { Controller, Get, Inject } from '@nestjs/common';
import { Describe } from '../describe.ts';
import { NetworkStates } from '../network-states.ts';
import { ServiceStates } from '../service-states.ts';
import { Me } from '../session.ts';

/** State of the services and networks for every member. */
@Controller('api/status')
export class StatusController {
  constructor(
    @Inject(ServiceStates) private readonly services: ServiceStates,
    @Inject(NetworkStates) private readonly networks: NetworkStates,
  ) {}

  @Describe(
    'Whether each service is deployed and ready, and each network is served, with the age of its head. At most 5 s old.',
  )
  @Get()
  async status(@Me() { account }: SignedIn) {
    const [services, networks] = await Promise.all([this.services.list(), this.networks.list(account.id)]);
    return {
      services,
      networks: networks.map((network) => ({
        name: network.name,
        isServed: !('error' in network),
        ...('head' in network && { head: network.head.number, lagSeconds: network.lagSeconds }),
      })),
    };
  }
}

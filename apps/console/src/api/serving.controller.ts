import { Auth, type SignedIn } from '@cairn/auth';
import { Controller, Inject, Put, Req } from '@nestjs/common';
import type { Request } from 'express';
import * as z from 'zod';
import { Describe, TakesBody } from '../describe.ts';
import { actorOf, Me } from '../session.ts';

const serving = z.strictObject({ servesPeers: z.boolean({ error: 'expected true or false' }) });

/** Permission of the account to serve its pins to IPFS peers. */
@Controller('api/serving')
export class ServingController {
  constructor(@Inject(Auth) private readonly auth: Auth) {}

  @Describe('Lets IPFS peers fetch what the account has pinned. It applies with IPFS_PEER_SERVE=accounts.')
  @Put()
  async set(@Me() me: SignedIn, @TakesBody(serving) { servesPeers }: z.infer<typeof serving>, @Req() request: Request) {
    await this.auth.as(actorOf(me, request)).setServing(me.account.id, servesPeers);
    return { servesPeers };
  }
}

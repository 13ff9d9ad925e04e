import { AccountViews, type SignedIn } from '@cairn/auth';
import { Controller, Delete, HttpCode, Inject, Param, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import * as z from 'zod';
import { Describe, TakesBody } from '../describe.ts';
import { actorOf, ForOperators, Me } from '../session.ts';

const viewBody = z.strictObject({ reason: z.string({ error: 'expected a reason of 5 to 200 characters' }) });

/** Views of operators into accounts of customers. */
@Controller('api')
export class AccountViewsController {
  constructor(@Inject(AccountViews) private readonly views: AccountViews) {}

  @Describe('Shows this session the pages of an account for 30 minutes, without changes. The audit log has the reason.')
  @ForOperators()
  @HttpCode(200)
  @Post('operator/accounts/:id/view')
  async begin(
    @Me() me: SignedIn,
    @Param('id') id: string,
    @TakesBody(viewBody) { reason }: z.infer<typeof viewBody>,
    @Req() request: Request,
  ) {
    return { endsAt: await this.views.begin(me, id, reason.trim(), actorOf(me, request)) };
  }

  @Describe('Ends the view of an operator into another account.')
  @Delete('me/view')
  async end(@Me() me: SignedIn) {
    await this.views.end(me);
    return {};
  }
}

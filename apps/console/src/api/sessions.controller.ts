import { ApiTokens, apiTokenLimits, Members, type Session, type SignedIn } from '@cairn/auth';
import { Controller, Delete, Get, Inject, Param, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import * as z from 'zod';
import { Describe, TakesBody } from '../describe.ts';
import { actorOf, Me } from '../session.ts';

const newToken = z.strictObject({
  name: z.string({ error: 'expected a name' }).max(64, 'expected at most 64 characters'),
  days: z
    .int(`expected a whole number of days from 1 to ${apiTokenLimits.daysMax}`)
    .min(1, 'expected at least 1 day')
    .max(apiTokenLimits.daysMax, `expected at most ${apiTokenLimits.daysMax} days`)
    .default(90),
  isReadOnly: z.boolean({ error: 'expected true or false' }).default(true),
});

/** Sessions and API tokens of the signed-in member. */
@Controller('api/me')
export class SessionsController {
  constructor(
    @Inject(Members) private readonly members: Members,
    @Inject(ApiTokens) private readonly tokens: ApiTokens,
  ) {}

  @Describe('Open sessions of the member: browser, address, last use.')
  @Get('sessions')
  async sessions(@Me() { session: mine }: SignedIn) {
    return (await this.members.sessions.list(mine.memberId)).map((session) => shown(session, mine));
  }

  @Describe('Ends a session of the member.')
  @Delete('sessions/:id')
  async end(@Me() { member }: SignedIn, @Param('id') id: string) {
    await this.members.sessions.end(member.id, id);
    return {};
  }

  @Describe('Ends all sessions of the member but this one.')
  @Delete('sessions')
  async endOthers(@Me() { session }: SignedIn) {
    await this.members.sessions.endOthers(session);
    return {};
  }

  @Describe('API tokens of the member, without their texts.')
  @Get('tokens')
  async listTokens(@Me() { member }: SignedIn) {
    return await this.tokens.list(member);
  }

  @Describe('Creates an API token. Only this answer has its text.')
  @Post('tokens')
  async createToken(
    @Me() me: SignedIn,
    @TakesBody(newToken) wanted: z.infer<typeof newToken>,
    @Req() request: Request,
  ) {
    return await this.tokens.create(me.member, wanted, actorOf(me, request));
  }

  @Describe('Revokes an API token of the member.')
  @Delete('tokens/:id')
  async revokeToken(@Me() me: SignedIn, @Param('id') id: string, @Req() request: Request) {
    await this.tokens.revoke(me.member, id, actorOf(me, request));
    return {};
  }
}

function shown({ id, createdAt, expiresAt, usedAt = createdAt, client = {} }: Session, mine: Session) {
  return { id, createdAt, expiresAt, usedAt, ...client, isMine: id === mine.id };
}

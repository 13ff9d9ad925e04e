import type { IncomingMessage } from 'node:http';
import { type ApiToken, ApiTokens, AuthError, apiTokenPrefix, Members, type SignedIn } from '@cairn/auth';
import { Inject, Injectable } from '@nestjs/common';

export const cookieName = 'cairn_session';

/** Sender of a request: a member with a session, or a program with an API token of a member. */
export interface Entered extends SignedIn {
  readonly apiToken?: ApiToken;
}

/** Authenticates requests to the API. */
@Injectable()
export class Entrance {
  constructor(
    @Inject(Members) private readonly members: Pick<Members, 'session'>,
    @Inject(ApiTokens) private readonly tokens: Pick<ApiTokens, 'signIn'>,
  ) {}

  /** Returns the sender. A token in the header counts before a session. @throws SESSION_INVALID, CREDENTIALS_INVALID, ACCOUNT_SUSPENDED */
  async enter(request: Pick<IncomingMessage, 'headers'>): Promise<Entered> {
    const apiToken = apiTokenOf(request);
    if (apiToken !== undefined) return await this.tokens.signIn(apiToken);
    const token = sessionTokenOf(request);
    if (token === undefined)
      throw new AuthError('SESSION_INVALID', 'No session, or the session has ended.', { hint: 'Sign in.' });
    return await this.members.session(token);
  }
}

/** Returns the API token of a request (RFC 6750), or undefined if it has none. */
export function apiTokenOf({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const token = /^bearer +([\x21-\x7e]{1,512}) *$/i.exec(headers.authorization ?? '')?.[1];
  return token?.startsWith(apiTokenPrefix) ? token : undefined;
}

export function sessionTokenOf({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const pairs = headers.cookie?.split(';').map((pair) => pair.trim()) ?? [];
  return pairs.find((pair) => pair.startsWith(`${cookieName}=`))?.slice(cookieName.length + 1);
}

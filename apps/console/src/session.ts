import type { SessionClient, SignedIn } from '@cairn/auth';
import { CairnError } from '@cairn/errors';
import { SETTINGS } from '@cairn/service-kit/nest';
import {
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
  Inject,
  Injectable,
  SetMetadata,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { apiTokenOf, cookieName, type Entered, Entrance } from './entrance.ts';
import { requirePermission } from './permissions.ts';
import type { ConsoleSettings } from './settings.ts';

/** Header of every change. Forms and pages of other origins cannot send it. */
const guardHeader = 'x-cairn-console';

/** Request after the session guard. */
export interface SignedInRequest extends Request {
  signedIn?: Entered;
}

/** Marks a route that needs no session. */
export const Open = () => SetMetadata('open', true);
/** Marks a route for operators only. */
export const ForOperators = () => SetMetadata('operators', true);

/** Parameter decorator: the sender of the request. */
export const Me = createParamDecorator((_: unknown, context: ExecutionContext): Entered => {
  const { signedIn } = context.switchToHttp().getRequest<SignedInRequest>();
  if (signedIn === undefined) throw new Error('The route is public and has no signed-in member.');
  return signedIn;
});

/** Authenticates each API request, and requires the header of the console for changes with a session. */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(@Inject(Entrance) private readonly entrance: Entrance) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<SignedInRequest>();
    const marks = (name: string) =>
      Reflect.getMetadata(name, context.getHandler()) ?? Reflect.getMetadata(name, context.getClass());
    if (marks('webhook')) return true;
    // No page of another origin knows an API token.
    if (apiTokenOf(request) === undefined) requireOwnPage(request);
    if (marks('open')) return true;
    request.signedIn = await this.entrance.enter(request);
    if (marks('operators') && request.signedIn.member.role !== 'operator')
      throw new CairnError('NOT_AN_OPERATOR', 'This page is for operators.');
    requirePermission(request.signedIn, request.method === 'HEAD' ? 'GET' : request.method, patternOf(context));
    return true;
  }
}

/** Pattern of a route, such as `/api/keys/:id`. */
function patternOf(context: ExecutionContext): string {
  const pathOf = (target: object) => String(Reflect.getMetadata('path', target));
  const pattern = `/${pathOf(context.getClass())}/${pathOf(context.getHandler())}`.replace(/\/+/g, '/');
  return pattern.replace(/\/$/, '');
}

/** Protects against other origins of the same site, to which SameSite cookies are sent. */
function requireOwnPage({ method, headers }: Request): void {
  if (method === 'GET' || method === 'HEAD') return;
  if (headers[guardHeader] !== undefined) return;
  throw new CairnError('REQUEST_FORGED', `The header ${guardHeader} is missing.`, {
    hint: 'Send it with every change, as the pages of this console do.',
  });
}

/** Session token in a cookie that scripts cannot read and other sites cannot send. */
@Injectable()
export class SessionCookie {
  /** Whether browsers send it over TLS only. */
  readonly isSecure: boolean;

  constructor(@Inject(SETTINGS) { tls, CAIRN_PUBLIC_CONSOLE_URL: url }: ConsoleSettings) {
    this.isSecure = tls !== undefined || url?.startsWith('https:') === true;
  }

  set(response: Response, token: string): void {
    response.cookie(cookieName, token, { httpOnly: true, sameSite: 'strict', secure: this.isSecure, path: '/' });
  }

  clear(response: Response): void {
    response.clearCookie(cookieName, { httpOnly: true, sameSite: 'strict', secure: this.isSecure, path: '/' });
  }
}

/** Author of a change, for the audit log. */
export function actorOf({ member }: SignedIn, { ip }: Request): { readonly who: string; readonly from: string } {
  return { who: member.email, from: ip ?? 'unknown' };
}

/** Browser of a request, as it is listed with its session. */
export function clientOf({ ip, headers }: Request): SessionClient {
  return { address: ip, agent: headers['user-agent'] };
}

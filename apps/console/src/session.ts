import { AuthError, type MemberRole, Members, type SignedIn } from '@cairn/auth';
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
import { permissionFor, permissionsOf } from './permissions.ts';
import type { ConsoleSettings } from './settings.ts';

const cookieName = 'cairn_session';
/** Header of every change. Forms and pages of other origins cannot send it. */
const guardHeader = 'x-cairn-console';

/** Request after the session guard. */
export interface SignedInRequest extends Request {
  signedIn?: SignedIn;
}

/** Marks a route that needs no session. */
export const Open = () => SetMetadata('open', true);
/** Marks a route for operators only. */
export const ForOperators = () => SetMetadata('operators', true);

/** Parameter decorator: the signed-in member. */
export const Me = createParamDecorator((_: unknown, context: ExecutionContext): SignedIn => {
  const { signedIn } = context.switchToHttp().getRequest<SignedInRequest>();
  if (signedIn === undefined) throw new Error('The route is public and has no signed-in member.');
  return signedIn;
});

/** Authenticates the session of each API request, and requires the header of the console for changes. */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(@Inject(Members) private readonly members: Members) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<SignedInRequest>();
    const marks = (name: string) =>
      Reflect.getMetadata(name, context.getHandler()) ?? Reflect.getMetadata(name, context.getClass());
    if (marks('webhook')) return true;
    requireOwnPage(request);
    if (marks('open')) return true;
    const token = tokenOf(request);
    if (token === undefined)
      throw new AuthError('SESSION_INVALID', 'No session, or the session has ended.', { hint: 'Sign in.' });
    request.signedIn = await this.members.session(token);
    if (marks('operators') && request.signedIn.member.role !== 'operator')
      throw new CairnError('NOT_AN_OPERATOR', 'This page is for operators.');
    requirePermission(request.signedIn.member.role, context);
    return true;
  }
}

/** Requires the right of the route. @throws ROLE_NOT_ALLOWED */
function requirePermission(role: MemberRole, context: ExecutionContext): void {
  const pathOf = (target: object) => String(Reflect.getMetadata('path', target));
  const { method } = context.switchToHttp().getRequest<Request>();
  const pattern = `/${pathOf(context.getClass())}/${pathOf(context.getHandler())}`.replace(/\/+/g, '/');
  const needed = permissionFor(method === 'HEAD' ? 'GET' : method, pattern.replace(/\/$/, ''));
  if (permissionsOf(role).includes(needed)) return;
  throw new CairnError('ROLE_NOT_ALLOWED', `The role ${role} of this account does not allow this.`, {
    hint: 'Ask an owner of the account.',
  });
}

/** Protects against other origins of the same site, to which SameSite cookies are sent. */
function requireOwnPage({ method, headers }: Request): void {
  if (method === 'GET' || method === 'HEAD') return;
  if (headers[guardHeader] !== undefined) return;
  throw new CairnError('REQUEST_FORGED', `The header ${guardHeader} is missing.`, {
    hint: 'Send it with every change, as the pages of this console do.',
  });
}

export function tokenOf({ headers }: Pick<Request, 'headers'>): string | undefined {
  const pairs = headers.cookie?.split(';').map((pair) => pair.trim()) ?? [];
  return pairs.find((pair) => pair.startsWith(`${cookieName}=`))?.slice(cookieName.length + 1);
}

/** Session token in a cookie that scripts cannot read and other sites cannot send. */
@Injectable()
export class SessionCookie {
  readonly #isSecure: boolean;

  constructor(@Inject(SETTINGS) { tls, CAIRN_PUBLIC_CONSOLE_URL: url }: ConsoleSettings) {
    this.#isSecure = tls !== undefined || url?.startsWith('https:') === true;
  }

  set(response: Response, token: string): void {
    response.cookie(cookieName, token, { httpOnly: true, sameSite: 'strict', secure: this.#isSecure, path: '/' });
  }

  clear(response: Response): void {
    response.clearCookie(cookieName, { httpOnly: true, sameSite: 'strict', secure: this.#isSecure, path: '/' });
  }
}

/** Author of a change, for the audit log. */
export function actorOf({ member }: SignedIn, { socket }: Request): { readonly who: string; readonly from: string } {
  return { who: member.email, from: socket.remoteAddress ?? 'unknown' };
}

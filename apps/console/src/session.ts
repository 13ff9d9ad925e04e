import { AuthError, type Members, type SignedIn } from '@cairn/auth';
import { CairnError } from '@cairn/errors';
import type { Settings } from '@cairn/service-kit';
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
import { MEMBERS } from './tokens.ts';

const cookieName = 'cairn_session';
/** Sent by the pages with every change: no form and no page of another origin can. */
const guardHeader = 'x-cairn-console';

/** A request with what the guard has found. */
export interface SignedInRequest extends Request {
  signedIn?: SignedIn;
}

/** Marks what everybody may ask for. */
export const Open = () => SetMetadata('open', true);
/** Marks what only operators may ask for. */
export const ForOperators = () => SetMetadata('operators', true);

/** Who is signed in. */
export const Me = createParamDecorator((_: unknown, context: ExecutionContext): SignedIn => {
  const { signedIn } = context.switchToHttp().getRequest<SignedInRequest>();
  if (signedIn === undefined) throw new Error('Nobody is signed in here.');
  return signedIn;
});

/** Before every request of the API: who is signed in, and that the page itself has sent it. */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(@Inject(MEMBERS) private readonly members: Members) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<SignedInRequest>();
    const marks = (name: string) =>
      Reflect.getMetadata(name, context.getHandler()) ?? Reflect.getMetadata(name, context.getClass());
    if (marks('webhook')) return true;
    requireOwnPage(request);
    if (marks('open')) return true;
    const token = tokenOf(request);
    if (token === undefined)
      throw new AuthError('SESSION_INVALID', 'You are not signed in, or have been signed out.', { hint: 'Sign in.' });
    request.signedIn = await this.members.session(token);
    if (marks('operators') && request.signedIn.member.role !== 'operator')
      throw new CairnError('NOT_AN_OPERATOR', 'Only operators may see this.');
    return true;
  }
}

/** SameSite keeps the cookie from other sites; this keeps other pages of the same site from changing anything. */
function requireOwnPage({ method, headers }: Request): void {
  if (method === 'GET' || method === 'HEAD') return;
  if (headers[guardHeader] !== undefined) return;
  throw new CairnError('REQUEST_FORGED', `A change has to carry the header ${guardHeader}.`, {
    hint: 'Pages of this console send it.',
  });
}

export function tokenOf({ headers }: Pick<Request, 'headers'>): string | undefined {
  const pairs = headers.cookie?.split(';').map((pair) => pair.trim()) ?? [];
  return pairs.find((pair) => pair.startsWith(`${cookieName}=`))?.slice(cookieName.length + 1);
}

/** Keeps who is signed in, in a cookie that scripts cannot read and other sites cannot send. */
@Injectable()
export class SessionCookie {
  readonly #isSecure: boolean;

  constructor(@Inject(SETTINGS) { tls, CAIRN_PUBLIC_CONSOLE_URL: url }: Settings) {
    this.#isSecure = tls !== undefined || url?.startsWith('https:') === true;
  }

  set(response: Response, token: string): void {
    response.cookie(cookieName, token, { httpOnly: true, sameSite: 'strict', secure: this.#isSecure, path: '/' });
  }

  clear(response: Response): void {
    response.clearCookie(cookieName, { httpOnly: true, sameSite: 'strict', secure: this.#isSecure, path: '/' });
  }
}

/** Who makes a change, for the audit log. */
export function actorOf({ member }: SignedIn, { socket }: Request): { readonly who: string; readonly from: string } {
  return { who: member.email, from: socket.remoteAddress ?? 'unknown' };
}

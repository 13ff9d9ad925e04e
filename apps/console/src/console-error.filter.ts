import { errorChain, isCairnError } from '@cairn/errors';
import { announceEarlyAnswer, discardBody, type Logger } from '@cairn/service-kit';
import { engineFailureOf } from '@cairn/stores';
import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { Request, Response } from 'express';

const statuses: Readonly<Record<string, number>> = {
  VALUE_INVALID: 400,
  PASSWORD_WEAK: 400,
  PLAN_INVALID: 400,
  MONTH_INVALID: 400,
  WEBHOOK_INVALID: 400,
  STORAGE_REFUSED: 400,
  CID_INVALID: 400,
  ADDRESS_INVALID: 400,
  ADDRESS_REFUSED: 400,
  SIGN_IN_FAILED: 401,
  CREDENTIALS_INVALID: 401,
  SESSION_INVALID: 401,
  TOTP_REQUIRED: 401,
  TOTP_INVALID: 401,
  CARD_REQUIRED: 402,
  QUOTA_EXCEEDED: 403,
  ACCOUNT_SUSPENDED: 403,
  NOT_AN_OPERATOR: 403,
  ROLE_NOT_ALLOWED: 403,
  MEMBERS_FULL: 403,
  API_TOKENS_FULL: 403,
  IDENTITY_REFUSED: 403,
  PASSKEY_REFUSED: 403,
  PASSKEYS_FULL: 403,
  REQUEST_FORGED: 403,
  SIGN_UP_CLOSED: 403,
  TOKEN_INVALID: 403,
  MAIL_NOT_CONFIGURED: 404,
  ACCOUNT_NOT_FOUND: 404,
  KEY_NOT_FOUND: 404,
  MEMBER_NOT_FOUND: 404,
  INVITATION_NOT_FOUND: 404,
  SESSION_NOT_FOUND: 404,
  API_TOKEN_NOT_FOUND: 404,
  PASSKEY_NOT_FOUND: 404,
  PLAN_NOT_FOUND: 404,
  NETWORK_NOT_FOUND: 404,
  WEBHOOK_NOT_EXPECTED: 404,
  UPLOAD_NOT_FOUND: 404,
  STORAGE_NOT_FOUND: 404,
  PIN_NOT_FOUND: 404,
  PEER_NOT_CONNECTED: 404,
  PEER_NOT_FOUND: 404,
  UPLOAD_TOO_SLOW: 408,
  ACCOUNT_EXISTS: 409,
  UPLOAD_INCOMPLETE: 409,
  MEMBER_EXISTS: 409,
  OWNER_REQUIRED: 409,
  PLAN_REQUIRED: 409,
  KEY_EXISTS: 409,
  KEY_REVOKED: 409,
  BODY_TOO_LONG: 413,
  UPLOAD_TOO_LONG: 413,
  RANGE_INVALID: 416,
  ATTEMPTS_PAUSED: 429,
  LIMIT_REACHED: 429,
  MAILS_PAUSED: 429,
  STREAMS_TOO_MANY: 429,
  BILLING_UNAVAILABLE: 502,
  STORAGE_FAILED: 502,
  DIAL_FAILED: 502,
  PEER_UNAVAILABLE: 502,
  SERVICE_UNREACHABLE: 502,
  SIGN_IN_UNAVAILABLE: 502,
  SERVICE_BUSY: 503,
  SECRETS_KEY_UNUSABLE: 503,
  LINK_INVALID: 403,
  GATEWAY_HOST_EXISTS: 409,
  GATEWAY_HOST_NOT_FOUND: 404,
  STORE_CLOSED: 503,
  STORE_FULL: 507,
};

interface ErrorAnswer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Status and body of an error: `{ "code", "message", "hint", "field" }`, without internals. */
export function errorAnswerOf(error: unknown): ErrorAnswer {
  const engine = engineFailureOf(error);
  if (engine !== undefined && isCairnError(error)) {
    const { status, message, hint, retryAfterSeconds } = engine;
    const body = { code: error.code, message, hint };
    return {
      status,
      body,
      ...(retryAfterSeconds !== undefined && { headers: { 'retry-after': String(retryAfterSeconds) } }),
    };
  }
  if (isCairnError(error) && statuses[error.code] !== undefined) {
    const { code, message, hint, details } = error;
    const retryAfter = details.retryAfterSeconds;
    return {
      status: statuses[code] ?? 500,
      body: { code, message, hint, field: details.field },
      ...(retryAfter !== undefined && { headers: { 'retry-after': String(retryAfter) } }),
    };
  }
  // Errors of Nest and the body parser: an unknown path, invalid JSON, a body that is too long.
  const status = error instanceof HttpException ? error.getStatus() : statusOf(error);
  if (status !== undefined && status < 500)
    return { status, body: { code: `HTTP_${status}`, message: messages[status] ?? 'The request is not valid.' } };
  return { status: 500, body: { code: 'INTERNAL', message: 'Internal error. The log of the console has the reason.' } };
}

/** Answers `{ "error": … }`, and logs failures that the request did not cause. */
@Catch()
export class ConsoleErrorFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    const request = host.switchToHttp().getRequest<Request>();
    if (response.headersSent) return void response.destroy();
    const { status, body, headers = {} } = errorAnswerOf(error);
    if (status === 502) this.logger.warn({ causes: errorChain(error) }, 'another service failed');
    if (status === 503 && engineFailureOf(error) !== undefined)
      this.logger.warn({ causes: errorChain(error) }, 'a store does not answer');
    if (status === 500) {
      const { method, path } = request;
      this.logger.error({ method, path, causes: errorChain(error) }, 'request failed');
    }
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    announceEarlyAnswer(request, response);
    response.status(status).json({ error: body });
    discardBody(request);
  }
}

const messages: Readonly<Record<number, string>> = {
  400: 'The body is not JSON.',
  404: 'This path does not exist.',
  413: 'The body is too long.',
};

function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('status' in error)) return undefined;
  return typeof error.status === 'number' ? error.status : undefined;
}

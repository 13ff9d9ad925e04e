import { isCairnError } from '@cairn/errors';
import { engineFailureOf } from '@cairn/stores';

/** Response to a request that is refused before the gateway sees it, or that the service could not answer. */
export interface FailureResponse {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

const statuses: ReadonlyMap<string, number> = new Map([
  ['CREDENTIALS_INVALID', 401],
  ['BILLING_CARD_REQUIRED', 402],
  ['ACCOUNT_SUSPENDED', 403],
  ['CLIENT_NOT_ALLOWED', 403],
  ['KEY_SCOPE_MISSING', 403],
  ['LINK_INVALID', 403],
  ['ACCOUNT_NOT_FOUND', 404],
  ['ADDRESS_LIMITED', 429],
  ['ATTEMPTS_PAUSED', 429],
  ['LIMIT_REACHED', 429],
  ['ROUTING_UNAVAILABLE', 503],
  // A block of a response under way was not found in the IPFS network, or its peer does not answer.
  ['GATEWAY_REFUSED', 504],
]);

/** Converts an error to a response. Errors without a status are faults of the service, which the log has. */
export function failureResponse(error: unknown, requestId: string): FailureResponse {
  const engine = engineFailureOf(error);
  if (engine?.retryAfterSeconds !== undefined)
    return {
      status: engine.status,
      text: `${engine.message} ${engine.hint}`,
      headers: { 'retry-after': String(engine.retryAfterSeconds) },
    };
  const status = isCairnError(error) ? statuses.get(error.code) : undefined;
  if (status === undefined || !isCairnError(error))
    return {
      status: 500,
      text: `internal error; the log of the service has it under request id ${requestId}`,
      headers: {},
    };
  const hint = error.hint === undefined ? '' : ` ${error.hint}`;
  const { retryAfterSeconds } = error.details;
  const headers = {
    ...(status === 401 && { 'www-authenticate': 'Basic realm="cairn", charset="UTF-8"' }),
    ...(typeof retryAfterSeconds === 'number' && { 'retry-after': String(retryAfterSeconds) }),
  };
  return { status, text: `${error.message}${hint}`, headers };
}

/** Reports whether the service caused an error. */
export function isServiceFault(error: unknown): boolean {
  return error !== undefined && !(isCairnError(error) && statuses.has(error.code));
}

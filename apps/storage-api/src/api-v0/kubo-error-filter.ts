import type { ServerResponse } from 'node:http';
import { announceEarlyAnswer, discardBody } from '@cairn/service-kit';
import { Injectable } from '@nestjs/common';
import { ApiError, faultHeaders, PlainApiError } from './api-error.ts';
import { apiErrorFrom, isStoreFailure } from './error-policy.ts';
import type { StorageRequest } from './storage-request.ts';
import { failStream, sendJson } from './write.ts';

/** Kubo's numbers for kinds of errors (go-ipfs-cmds, ErrorType). */
const kuboCodes: Readonly<Record<number, number>> = { 400: 1, 403: 4, 429: 3 };

/**
 * Turns an error into a response: Kubo's error body before the first byte of a response, the trailer `X-Stream-Error` after
 * it. An error without a code is reported by the request id, under which the log has it.
 */
@Injectable()
export class KuboErrorFilter {
  catch(error: unknown, { request, response, record }: StorageRequest): void {
    record.failure = error;
    if (response.destroyed) return;
    const known = knownError(error, record.id);
    announceEarlyAnswer(request, response);
    if (response.headersSent) failStream(response, known.message);
    else sendError(response, known);
    discardBody(request);
  }
}

/** Returns the client's view of an error. */
export function knownError(error: unknown, requestId: string): ApiError {
  return (
    apiErrorFrom(error) ??
    new ApiError(500, `internal error; the log of the service has it under request id ${requestId}`, faultHeaders)
  );
}

/** Returns Kubo's error body. */
export function errorBody({ status, message }: ApiError) {
  return { Message: message, Code: kuboCodes[status] ?? 0, Type: 'error' } as const;
}

/** Reports whether the service caused an error, so that its log line is an error line. */
export function isServiceFault(error: unknown): boolean {
  return error !== undefined && (isStoreFailure(error) || apiErrorFrom(error) === undefined);
}

/** Sends Kubo's error body, `{"Message","Code","Type":"error"}`, or plain text for a {@link PlainApiError}. */
function sendError(response: ServerResponse, error: ApiError): void {
  const { status, message, headers } = error;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (!(error instanceof PlainApiError)) {
    sendJson(response, errorBody(error), status);
    return;
  }
  const body = `${message}\n`;
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

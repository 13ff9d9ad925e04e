import { isCairnError } from '@cairn/errors';
import { errorPage } from './error-page.ts';
import { GatewayError } from './errors.ts';
import { textBody } from './exchange.ts';
import type { GatewayResponse } from './gateway-types.ts';

/** Statuses of errors of the libraries below. Others are faults of the service. */
const statuses: ReadonlyMap<string, number> = new Map([
  ['LINK_NOT_FOUND', 404],
  ['PATH_LOOKUP_FAILED', 404],
  ['BLOCK_NOT_FOUND', 404],
  ['NOT_A_FILE', 400],
  ['NOT_A_DIRECTORY', 400],
  ['HASH_UNSUPPORTED', 400],
  ['CODEC_UNSUPPORTED', 415],
  ['DAG_INVALID', 422],
]);

/** Fields that describe the content. An error has none: caches would store it as long as the content. */
const contentFields: ReadonlySet<string> = new Set([
  ...[
    'content-length',
    'content-range',
    'accept-ranges',
    'etag',
    'cache-control',
    'last-modified',
    'content-disposition',
  ],
]);

/** Converts an error to its response: a page for browsers, else a text. @throws an error that is a fault of the service */
export function failureOf(
  error: unknown,
  headers: Readonly<Record<string, string>>,
  isBrowser = false,
): GatewayResponse {
  const failure = asGatewayError(error, headers['x-ipfs-path']);
  const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !contentFields.has(name)));
  const response = {
    status: failure.status,
    headers: {
      ...kept,
      ...failure.headers,
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
    },
    body: textBody(`${failure.message}\n`),
  };
  return isBrowser ? errorPage(response, failure.message) : response;
}

function statusOf(error: unknown): number | undefined {
  return isCairnError(error) ? statuses.get(error.code) : undefined;
}

/** Status of content that a denylist denies: 410 as in Kubo, or 451. */
function deniedStatus({ details }: { readonly details: Readonly<Record<string, unknown>> }): number {
  return details.status === 451 ? 451 : 410;
}

function asGatewayError(error: unknown, path: string | undefined): GatewayError {
  if (error instanceof GatewayError) return error;
  const status = isCairnError(error, 'CONTENT_DENIED') ? deniedStatus(error) : statusOf(error);
  if (status === undefined || !(error instanceof Error)) throw error;
  return new GatewayError(status, path === undefined ? error.message : `failed to resolve ${path}: ${error.message}`);
}

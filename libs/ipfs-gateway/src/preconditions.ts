import { GatewayError } from './errors.ts';
import { type Exchange, field } from './exchange.ts';

/**
 * Evaluates the conditions of a request on the content (RFC 9110, 13.2.2), of which `If-None-Match` is evaluated before.
 * Returns true if the client has the content.
 * @throws GatewayError 412
 */
export function isUnmodified({ request, headers }: Exchange): boolean {
  const { etag, 'last-modified': modified } = headers;
  const match = field(request, 'if-match');
  if (match !== undefined) {
    if (match.trim() !== '*' && !tagsOf(match).includes(etag ?? '')) throw failed('If-Match');
  } else if (timeOf(modified) > timeOf(field(request, 'if-unmodified-since'))) throw failed('If-Unmodified-Since');
  const hasTags = request.headers['if-none-match'] !== undefined;
  return !hasTags && timeOf(modified) <= timeOf(field(request, 'if-modified-since'));
}

/** Reports whether an `If-Range` field, if there is one, names the content (RFC 9110, 13.1.5). */
export function matchesIfRange({ request, headers }: Exchange): boolean {
  const value = field(request, 'if-range');
  if (value === undefined) return true;
  if (/^(?:W\/)?"/.test(value)) return value === headers.etag && !value.startsWith('W/');
  return timeOf(value) === timeOf(headers['last-modified']);
}

/** Strong tags of a list: `If-Match` compares strongly. */
function tagsOf(list: string): readonly string[] {
  return (list.match(/(?:W\/)?"[^"]*"/g) ?? []).filter((tag) => !tag.startsWith('W/'));
}

/** Milliseconds of a date, or NaN, which compares as false with everything. */
function timeOf(date: string | undefined): number {
  return date === undefined ? Number.NaN : Date.parse(date);
}

function failed(name: string): GatewayError {
  return new GatewayError(412, `the condition ${name} of the request does not hold`);
}

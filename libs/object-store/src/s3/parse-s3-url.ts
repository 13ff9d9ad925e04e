import { ObjectStoreError } from '../errors.ts';
import { isKey } from '../keys.ts';

/** Place of an object store. */
export interface S3Location {
  readonly bucket: string;
  /** Start of all keys, empty or with a slash at its end. */
  readonly prefix: string;
  /** Origin of the server, such as `https://s3.eu-central-1.amazonaws.com`. */
  readonly endpoint: string;
  readonly region: string;
}

const parameters = new Set(['endpoint', 'region']);

/**
 * Parses `s3://bucket/prefix?endpoint=https://host&region=name`. Without an endpoint it is the one of AWS in that region.
 * @throws OBJECT_STORE_URL_INVALID. The message does not repeat the URL, since it may contain a password.
 */
export function parseS3Url(url: string): S3Location {
  if (!URL.canParse(url)) throw invalid('it does not parse');
  const { protocol, username, password, host, pathname, searchParams, hash } = new URL(url);
  if (protocol !== 's3:') throw invalid('it does not begin with s3://');
  if (username !== '' || password !== '')
    throw invalid('it contains credentials', 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead.');
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(host)) throw invalid('its bucket is no bucket name');
  const unknown = [...searchParams.keys()].filter((name) => !parameters.has(name));
  if (unknown.length > 0 || hash !== '') throw invalid('it has other parameters than endpoint and region');
  const path = pathname.replace(/^\/|\/$/g, '');
  if (path !== '' && !isKey(path)) throw invalid('its prefix has characters other than letters, digits, "_", ".", "-"');
  const region = searchParams.get('region') ?? 'us-east-1';
  if (!/^[a-z0-9-]{1,40}$/i.test(region)) throw invalid('its region is no region name');
  const endpoint = parseEndpoint(searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`);
  return { bucket: host, prefix: path === '' ? '' : `${path}/`, endpoint, region };
}

function parseEndpoint(text: string): string {
  if (!URL.canParse(text)) throw invalid('its endpoint is no URL');
  const { protocol, username, password, origin, pathname, search } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') throw invalid('its endpoint is neither https:// nor http://');
  if (username !== '' || password !== '') throw invalid('its endpoint contains credentials');
  if (pathname !== '/' || search !== '') throw invalid('its endpoint has a path');
  return origin;
}

function invalid(problem: string, hint = 'Use the form s3://bucket/prefix?endpoint=https://host&region=name.') {
  return new ObjectStoreError('OBJECT_STORE_URL_INVALID', `The URL of the object store is invalid: ${problem}.`, {
    hint,
  });
}

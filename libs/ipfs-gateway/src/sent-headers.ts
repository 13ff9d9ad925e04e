/** Fields of every response: content is public data of any origin (https://specs.ipfs.tech/http-gateways/path-gateway/#access-control-allow-origin-response-header). */
const commonHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  'access-control-allow-headers': 'Content-Type, Range, User-Agent, X-Requested-With',
  'access-control-expose-headers':
    'Content-Length, Content-Range, Ipfs-Uri, X-Chunked-Output, X-Ipfs-Path, X-Ipfs-Roots, X-Stream-Output',
} as const;

/** HTAB, SP and visible ASCII: clients do not agree on other bytes of a field (RFC 9110, 5.5). */
const fieldValue = /^[\t -~]*$/;

/** Fields of a response. Without a safe form of the path, `ipfs-uri` names the content alone (IPIP-548). */
export function sentHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { 'x-ipfs-path': path = '', ...others } = headers;
  return { ...commonHeaders, ...(fieldValue.test(path) ? headers : others) };
}

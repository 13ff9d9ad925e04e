import { createHash } from 'node:crypto';
import { type NameSources, parseIpnsName, verifyIpnsRecord } from '@cairn/ipns';
import { contentDisposition } from './content-disposition.ts';
import { GatewayError } from './errors.ts';
import { contentPath, type Exchange, fileNameOf } from './exchange.ts';
import type { GatewayResponse } from './gateway-types.ts';
import { mediaTypes } from './response-format.ts';
import { memorySource, notModified, serveBytes } from './serve-bytes.ts';

/** Serves the signed record of an IPNS name (https://specs.ipfs.tech/http-gateways/trustless-gateway/#ipns-record-responses-application-vnd-ipfs-ipns-record). */
export async function serveRecord(exchange: Exchange, names: NameSources): Promise<GatewayResponse> {
  const { origin, headers, request, target } = exchange;
  const path = contentPath(origin);
  if (origin.namespace !== 'ipns') throw new GatewayError(400, `${path} is not an IPNS link`);
  if (origin.below.replaceAll('/', '') !== '')
    throw new GatewayError(400, `${path} is not an IPNS name: it has a path`);
  const name = parseIpnsName(origin.root);
  if (name === undefined) throw new GatewayError(400, `${path} is not an IPNS name`);
  const record = await names.ipnsRecord?.(name, request.signal);
  if (record === undefined) throw new GatewayError(500, `failed to resolve ${path}: could not resolve name`);
  const { ttlSeconds } = verifyIpnsRecord(name, record);
  const etag = `"${createHash('sha256').update(record).digest('hex').slice(0, 32)}"`;
  const unchanged = notModified(exchange, { ttlSeconds }, etag);
  if (unchanged !== undefined) return unchanged;
  headers.etag = etag;
  headers['cache-control'] = `public, max-age=${ttlSeconds}`;
  headers['content-type'] = mediaTypes['ipns-record'];
  const fileName = fileNameOf(target) ?? `${origin.root}.ipns-record`;
  headers['content-disposition'] = contentDisposition('attachment', fileName);
  headers['x-content-type-options'] = 'nosniff';
  return serveBytes(exchange, memorySource(record));
}

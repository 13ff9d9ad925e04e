import { readNode } from '@cairn/unixfs';
import { setContentCaching } from './cache-control.ts';
import { contentDisposition } from './content-disposition.ts';
import { type Content, type Exchange, readOptions } from './exchange.ts';
import type { GatewayResponse } from './gateway-types.ts';
import { mediaTypes } from './response-format.ts';
import { notModified } from './serve-bytes.ts';
import { tarOf } from './tar-body.ts';

/** Serves a file or a directory with everything below it as a TAR. */
export async function serveTar(exchange: Exchange, content: Content): Promise<GatewayResponse> {
  const { headers, target, blocks } = exchange;
  const { cid } = content;
  const etag = `W/"${cid}.x-tar"`;
  const unchanged = notModified(exchange, etag);
  if (unchanged !== undefined) return unchanged;
  const root = await readNode(blocks, cid, readOptions(exchange));
  setContentCaching(exchange, content);
  headers.etag = etag;
  headers['content-type'] = mediaTypes.tar;
  headers['content-disposition'] = contentDisposition('attachment', target.query.get('filename') ?? `${cid}.tar`);
  headers['accept-ranges'] = 'none';
  headers['x-content-type-options'] = 'nosniff';
  return { status: 200, headers, body: tarOf(blocks, root, readOptions(exchange)) };
}

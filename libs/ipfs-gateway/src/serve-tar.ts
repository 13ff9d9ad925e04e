import { codecName, codecs } from '@cairn/cid';
import { readNode } from '@cairn/unixfs';
import { setContentCaching } from './cache-control.ts';
import { contentDisposition } from './content-disposition.ts';
import { type Content, type Exchange, fileNameOf, readOptions } from './exchange.ts';
import type { GatewayResponse } from './gateway-types.ts';
import { mediaTypes } from './response-format.ts';
import { notModified, refuseConversion } from './serve-bytes.ts';
import { tarOf } from './tar-body.ts';

/** Serves a file or a directory with everything below it as a TAR. */
export async function serveTar(exchange: Exchange, content: Content): Promise<GatewayResponse> {
  const { headers, target, blocks } = exchange;
  const { cid } = content;
  const etag = `W/"${cid}.x-tar"`;
  const unchanged = notModified(exchange, content, etag);
  if (unchanged !== undefined) return unchanged;
  if (cid.code !== codecs['dag-pb'] && cid.code !== codecs.raw)
    refuseConversion(mediaTypes.tar, codecName(cid.code) ?? `0x${cid.code.toString(16)}`);
  const root = await readNode(blocks, cid, readOptions(exchange));
  setContentCaching(exchange, content);
  headers.etag = etag;
  headers['content-type'] = mediaTypes.tar;
  headers['content-disposition'] = contentDisposition('attachment', fileNameOf(target) ?? `${cid}.tar`);
  headers['x-content-type-options'] = 'nosniff';
  return { status: 200, headers, body: tarOf(blocks, root, readOptions(exchange)) };
}

import { setContentCaching } from './cache-control.ts';
import { contentDisposition } from './content-disposition.ts';
import { type Content, type Exchange, fileNameOf, readOptions } from './exchange.ts';
import type { GatewayResponse } from './gateway-types.ts';
import { mediaTypes } from './response-format.ts';
import { memorySource, notModified, serveBytes } from './serve-bytes.ts';

/** Serves one block as it is stored (https://specs.ipfs.tech/http-gateways/trustless-gateway/#block-responses-application-vnd-ipld-raw). */
export async function serveBlock(exchange: Exchange, content: Content): Promise<GatewayResponse> {
  const { headers, target, blocks } = exchange;
  const { cid } = content;
  const etag = `"${cid}.raw"`;
  const unchanged = notModified(exchange, content, etag);
  if (unchanged !== undefined) return unchanged;
  const bytes = await blocks.get(cid, readOptions(exchange));
  setContentCaching(exchange, content);
  headers.etag = etag;
  headers['content-type'] = mediaTypes.raw;
  headers['content-disposition'] = contentDisposition('attachment', fileNameOf(target) ?? `${cid}.bin`);
  headers['x-content-type-options'] = 'nosniff';
  return serveBytes(exchange, memorySource(bytes));
}

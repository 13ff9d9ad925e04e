import { type CID, codecName, codecs } from '@cairn/cid';
import { decodeDag, encodeDag } from '@cairn/dag';
import { setContentCaching, setPageCaching } from './cache-control.ts';
import { contentDisposition } from './content-disposition.ts';
import { dagPage } from './dag-page.ts';
import { type Content, type Exchange, field, fileNameOf, readOptions, redirect, textBody } from './exchange.ts';
import type { GatewayResponse } from './gateway-types.ts';
import { limits } from './limits.ts';
import { pageTags } from './page-style.ts';
import { escapePath } from './request-target.ts';
import { type Format, mediaTypes } from './response-format.ts';
import { memorySource, notModified, refuseConversion, serveBytes } from './serve-bytes.ts';

type CodecFormat = 'dag-json' | 'dag-cbor' | 'json' | 'cbor';

/** Formats of blocks, by their codec. */
const formatsOfCodecs: ReadonlyMap<number, CodecFormat> = new Map<number, CodecFormat>([
  [codecs['dag-json'], 'dag-json'],
  [codecs['dag-cbor'], 'dag-cbor'],
  [codecs.json, 'json'],
  [codecs.cbor, 'cbor'],
]);

/** Reports whether a codec is served as a document. */
export function isDocumentCodec(code: number): boolean {
  return formatsOfCodecs.has(code);
}

/** Entity tag of a CID that is served without a requested format. */
export function codecTag(cid: CID): string {
  const format = formatsOfCodecs.get(cid.code);
  return format === undefined ? `"${cid}"` : `"${cid}.${format}"`;
}

/** Serves a JSON or CBOR document as it is, or as a page for browsers. @throws GatewayError 406 for another codec */
export async function serveCodec(exchange: Exchange, content: Content): Promise<GatewayResponse> {
  const { requested, request, target } = exchange;
  const own = formatsOfCodecs.get(content.cid.code);
  const isBrowser = requested.format === undefined && (field(request, 'accept') ?? '').includes('text/html');
  if (isBrowser && own?.startsWith('dag-')) return await servePage(exchange, content, own);
  const format = chosenFormat(requested.format, own);
  const etag = `"${content.cid}.${format}"`;
  const unchanged = notModified(exchange, content, etag);
  if (unchanged !== undefined) return unchanged;
  const { headers } = exchange;
  const extension = format.endsWith('json') ? 'json' : 'cbor';
  const name = fileNameOf(target) ?? `${content.cid}.${extension}`;
  const isAttached = extension === 'cbor' || target.query.get('download') === 'true';
  setContentCaching(exchange, content);
  headers.etag = etag;
  headers['content-disposition'] = contentDisposition(isAttached ? 'attachment' : 'inline', name);
  headers['x-content-type-options'] = 'nosniff';
  if (own === undefined || (own !== format && own !== `dag-${format}`))
    refuseConversion(mediaTypes[format], codecName(content.cid.code) ?? `0x${content.cid.code.toString(16)}`);
  headers['content-type'] = mediaTypes[format];
  return serveBytes(exchange, memorySource(await exchange.blocks.get(content.cid, readOptions(exchange))));
}

function chosenFormat(requested: Format | undefined, own: CodecFormat | undefined): CodecFormat {
  switch (requested) {
    case 'dag-json':
    case 'dag-cbor':
    case 'json':
    case 'cbor':
      return requested;
    default:
      return own ?? 'dag-json';
  }
}

async function servePage(exchange: Exchange, content: Content, own: CodecFormat): Promise<GatewayResponse> {
  const { headers, origin, target } = exchange;
  if (!origin.urlPath.endsWith('/')) return redirect(301, `${escapePath(origin.urlPath)}/${target.search}`, headers);
  const [, etag] = pageTags(content.cid);
  const unchanged = notModified(exchange, content, etag);
  if (unchanged !== undefined) return unchanged;
  const bytes = await exchange.blocks.get(content.cid, readOptions(exchange));
  const json = bytes.length > limits.previewBytesMax ? undefined : jsonOf(own, bytes, `Block ${content.cid}`);
  setPageCaching(exchange, content);
  headers.etag = etag;
  headers['content-type'] = 'text/html';
  headers['x-content-type-options'] = 'nosniff';
  return { status: 200, headers, body: textBody(dagPage(content.cid.toString(), own, json)) };
}

function jsonOf(own: CodecFormat, bytes: Uint8Array, name: string): string {
  const value = decodeDag(own === 'dag-cbor' ? 'dag-cbor' : 'dag-json', bytes, name);
  return new TextDecoder().decode(encodeDag('dag-json', value));
}

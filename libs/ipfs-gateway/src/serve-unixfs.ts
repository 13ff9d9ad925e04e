import { catNode, findEntry, listDirectory, readNode, type UnixfsNode } from '@cairn/unixfs';
import { beginBody } from './begin-body.ts';
import { checkRange } from './byte-range.ts';
import { setContentCaching, setPageCaching } from './cache-control.ts';
import { contentDisposition } from './content-disposition.ts';
import { contentTypeOf, contentTypeOfName, symlinkType, unknownType } from './content-type.ts';
import { directoryPage } from './directory-page.ts';
import { type Content, type Exchange, field, fileNameOf, lastName, readOptions, redirect } from './exchange.ts';
import type { GatewayResponse } from './gateway-types.ts';
import { limits } from './limits.ts';
import { isMissing } from './missing.ts';
import { pageTags } from './page-style.ts';
import { escapePath } from './request-target.ts';
import { memorySource, notModified, type RangeSource, serveBytes } from './serve-bytes.ts';

/** Serves a file, a symlink, or a directory: its index.html or a page of its entries. */
export async function serveUnixfs(exchange: Exchange, content: Content): Promise<GatewayResponse> {
  checkRange(field(exchange.request, 'range'));
  const node = await readNode(exchange.blocks, content.cid, readOptions(exchange));
  const isDirectory = node.type === 'directory' || node.type === 'hamt-sharded-directory';
  if (isDirectory) return await serveDirectory(exchange, content, node);
  return await serveFile(exchange, content, node);
}

/** Changes to how a file is served. */
export interface FileOptions {
  /** Status of a custom error page. Default: 200. */
  readonly status?: number;
  /** CID of the entity tag. Default: that of the file. */
  readonly tagCid?: string;
  /** Name that decides the content type. Default: the last name of the path. */
  readonly name?: string;
}

/** Serves a file or the target of a symlink. */
export async function serveFile(
  exchange: Exchange,
  content: Content,
  node: UnixfsNode,
  { status = 200, tagCid = content.cid.toString(), name }: FileOptions = {},
): Promise<GatewayResponse> {
  const { headers, target, blocks } = exchange;
  const etag = `"${tagCid}"`;
  const unchanged = status === 200 ? notModified(exchange, content, etag) : undefined;
  if (unchanged !== undefined) return unchanged;
  const { signal } = readOptions(exchange);
  const reading = signal === undefined ? {} : { signal };
  setContentCaching(exchange, content);
  headers.etag = etag;
  if (node.mtime !== undefined) headers['last-modified'] = new Date(node.mtime.seconds * 1000).toUTCString();
  const given = fileNameOf(target);
  const isAttached = target.query.get('download') === 'true';
  const fileName = given ?? name ?? lastName(content.segments) ?? '';
  if (given !== undefined || isAttached)
    headers['content-disposition'] = contentDisposition(
      isAttached ? 'attachment' : 'inline',
      fileName || content.cid.toString(),
    );
  if (node.type === 'symlink') {
    headers['content-type'] = symlinkType;
    return serveBytes(exchange, memorySource(node.data), status);
  }
  const isPart = field(exchange.request, 'range') !== undefined;
  const head = (length: number) => catNode(blocks, node, { length, ...reading });
  headers['content-type'] = await typeOf(fileName, node, head).catch((error: unknown) => {
    // The blocks of a range can be here without the first one, which only tells the type.
    if (!isPart || !isMissing(error)) throw error;
    return unknownType;
  });
  if (node.links.length === 0) return serveBytes(exchange, memorySource(node.data), status);
  const { readAhead = 8, buffers: pool } = exchange;
  const read: RangeSource['read'] = (offset, length, buffers) =>
    catNode(blocks, node, { offset, length, readAhead, buffers, ...reading });
  const response = serveBytes(exchange, { size: node.fileSize, read, ...(pool && { buffers: pool }) }, status);
  return exchange.request.method === 'HEAD' ? response : await beginBody(response);
}

async function typeOf(name: string, node: UnixfsNode, read: (length: number) => AsyncIterable<Uint8Array>) {
  const named = contentTypeOfName(name);
  if (named !== undefined) return named;
  const parts: Uint8Array[] = [];
  for await (const bytes of read(limits.sniffedBytes)) parts.push(bytes);
  return contentTypeOf(Buffer.concat(parts), node.fileSize <= limits.sniffedBytes);
}

async function serveDirectory(exchange: Exchange, content: Content, node: UnixfsNode): Promise<GatewayResponse> {
  const { headers, origin, target, blocks } = exchange;
  if (!origin.urlPath.endsWith('/')) return redirect(301, `${escapePath(origin.urlPath)}/${target.search}`, headers);
  const index = await findEntry(blocks, node, 'index.html', readOptions(exchange));
  if (index !== undefined) {
    const page = await readNode(blocks, index.cid, readOptions(exchange));
    if (page.type === 'file' || page.type === 'raw')
      return await serveFile(exchange, content, page, { tagCid: content.cid.toString(), name: 'index.html' });
  }
  const [etag] = pageTags(content.cid);
  const unchanged = notModified(exchange, content, etag);
  if (unchanged !== undefined) return unchanged;
  setPageCaching(exchange, content);
  headers.etag = etag;
  headers['content-type'] = 'text/html';
  const bytes = node.links.reduce((sum, { tsize }) => sum + tsize, node.blockBytes);
  const entries = listDirectory(blocks, node, readOptions(exchange));
  const page = directoryPage({ origin, cid: content.cid.toString(), bytes, entries });
  const response = { status: 200, headers, body: page };
  // A broken shard of a small directory has a status of its own.
  return exchange.request.method === 'HEAD' ? response : await beginBody(response);
}

import { codecs } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { catNode, findEntry, readNode } from '@cairn/unixfs';
import { GatewayError } from './errors.ts';
import { type Content, contentPath, type Exchange, readOptions, redirect } from './exchange.ts';
import { followPath } from './follow-path.ts';
import type { GatewayResponse } from './gateway-types.ts';
import { limits } from './limits.ts';
import { type MatchedRedirect, matchRedirect, parseRedirects } from './redirects-file.ts';
import { serveFile, serveUnixfs } from './serve-unixfs.ts';

/**
 * Answers a path that does not exist by the `_redirects` file of its root. Returns undefined if there is no file or no rule.
 * Only an origin of its own has one: a rule of one site must not apply to another. A request for a format asks for a block or an
 * archive and not for a page, so no rule applies to it.
 * @throws GatewayError 500 for a file that cannot be parsed
 */
export async function serveRedirects(exchange: Exchange, content: Content): Promise<GatewayResponse | undefined> {
  const { origin, blocks, headers, requested, target } = exchange;
  if (origin.host === undefined || content.root.code !== codecs['dag-pb']) return undefined;
  if (requested.format !== undefined) return undefined;
  const base = await readNode(blocks, (await followPath(blocks, content.root, [])).cid, readOptions(exchange));
  const entry = await findEntry(blocks, base, '_redirects', readOptions(exchange));
  if (entry === undefined) return undefined;
  const matched = await match(exchange, content, entry.cid);
  if (matched === undefined) return undefined;
  const { to, status } = matched;
  if (status >= 300 && status < 400) return redirect(status, to.includes('?') ? to : `${to}${target.search}`, headers);
  const segments = namesOf(exchange, to);
  const found = await followPath(blocks, content.root, segments, { signal: exchange.request.signal });
  const page: Content = { ...content, cid: found.cid, segments };
  if (status === 200) {
    headers['x-ipfs-roots'] = found.roots.join(',');
    return await serveUnixfs(exchange, page);
  }
  return await serveFile(exchange, page, await readNode(blocks, found.cid, readOptions(exchange)), { status });
}

/** Names of the target of a rewrite. @throws GatewayError 500 for one that is not percent-encoded */
function namesOf({ origin }: Exchange, to: string): string[] {
  try {
    const path = decodeURIComponent(to.replace(/[?#].*$/, ''));
    return path.split('/').filter((name) => name !== '');
  } catch {
    const file = `${contentPath({ ...origin, below: '' })}/_redirects`;
    throw new GatewayError(
      500,
      `trouble processing _redirects file at ${JSON.stringify(file)}: ${JSON.stringify(to.slice(0, 200))} has an invalid percent-encoding`,
    );
  }
}

async function match(
  exchange: Exchange,
  { root }: Content,
  file: Content['cid'],
): Promise<MatchedRedirect | undefined> {
  const { blocks, origin } = exchange;
  try {
    const node = await readNode(blocks, file, readOptions(exchange));
    const parts: Uint8Array[] = [];
    for await (const part of catNode(blocks, node, { length: limits.redirectsBytesMax + 1, ...readOptions(exchange) }))
      parts.push(part);
    return matchRedirect(parseRedirects(Buffer.concat(parts)), origin.below);
  } catch (error) {
    if (!isCairnError(error, 'REDIRECTS_INVALID')) throw error;
    const path = `${contentPath({ ...origin, below: '' })}/_redirects`;
    throw new GatewayError(500, `trouble processing _redirects file at ${JSON.stringify(path)}: ${error.message}`, {
      'x-ipfs-roots': root.toString(),
    });
  }
}

import type { PbLink } from '@cairn/unixfs';
import type { ContentOrigin } from './exchange.ts';
import { iconOf, iconOfEntry, iconSymbols } from './page-icons.ts';
import { escapeHtml, pageEnd, pageHead } from './page-style.ts';
import { escapePath } from './request-target.ts';

/** Directory to list. */
export interface DirectoryPage {
  readonly origin: ContentOrigin;
  readonly cid: string;
  readonly bytes: number;
  readonly entries: AsyncIterable<PbLink>;
}

/** Characters of a page that are sent together. */
const chunkCharacters = 16_384;

/** Yields the page of a directory while its entries are read. */
export async function* directoryPage(page: DirectoryPage): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const { origin, entries } = page;
  let text = startOf(page);
  const base = origin.urlPath.replace(/\/+$/, '');
  for await (const link of entries) {
    text += rowOf(link, base, origin);
    if (text.length < chunkCharacters) continue;
    yield encoder.encode(text);
    text = '';
  }
  yield encoder.encode(`${text}</tbody></table></main>\n${pageEnd}`);
}

function startOf({ origin, cid, bytes }: DirectoryPage): string {
  const path = `/${origin.namespace}/${origin.root}${origin.below}`;
  const base = origin.urlPath.replace(/\/+$/, '');
  const hasParent = origin.below.replace(/\/+$/, '') !== '';
  const up = hasParent
    ? `<tr><td class="icon">${iconOf('up')}</td><td><a href="${link(`${base}/..`)}">..</a></td><td class="hash"></td><td class="size"></td></tr>\n`
    : '';
  return `${pageHead(path)}${iconSymbols}<main><h1>Index of ${breadcrumbs(origin)}</h1>
<p class="meta"><span class="ipfs-hash" translate="no">${escapeHtml(cid)}</span> ${sizeText(bytes)}</p>
<table><thead><tr><th class="icon" aria-label="Kind"></th><th scope="col">Name</th><th scope="col" class="hash">CID</th><th scope="col" class="size">Size</th></tr></thead>
<tbody>
${up}`;
}

/** Links of the path from the root to the directory. Those of a subdomain are paths of its gateway, which redirects them. */
function breadcrumbs({ host, gateway, namespace, root, below }: ContentOrigin): string {
  const isSite = host !== undefined && gateway === undefined;
  const start = isSite
    ? `//${escapeHtml(host)}`
    : `${gateway === undefined ? '' : `//${escapeHtml(gateway)}`}/${namespace}/${escapePath(root)}`;
  const names = below.split('/').filter((name) => name !== '');
  const rootHref = isSite ? `${start}/` : start;
  const crumbs = names.map((name, index) => {
    const href = `${start}/${names
      .slice(0, index + 1)
      .map((part) => link(part))
      .join('/')}`;
    return `/<a href="${href}">${escapeHtml(name)}</a>`;
  });
  return `/${namespace}/<a href="${rootHref}">${escapeHtml(root)}</a>${crumbs.join('')}`;
}

function rowOf({ name, cid, tsize }: PbLink, base: string, { host, gateway }: ContentOrigin): string {
  const text = cid.toString();
  // Kubo encodes the name twice: the query value is a path that is encoded itself.
  const hashLink =
    host === undefined || gateway !== undefined
      ? `href="${gateway === undefined ? '' : `//${escapeHtml(gateway)}`}/ipfs/${text}?filename=${encodeURIComponent(escapePath(name))}"`
      : `href="https://cid.ipfs.tech/#${text}" target="_blank" rel="noreferrer noopener"`;
  const short = `${text.slice(0, 4)}…${text.slice(-4)}`;
  return `<tr><td class="icon">${iconOfEntry(name, cid)}</td><td dir="auto"><a href="${link(`${base}/${name}`)}">${escapeHtml(name)}</a></td><td class="hash"><a class="ipfs-hash" translate="no" ${hashLink}>${short}</a></td><td class="size">${sizeText(tsize)}</td></tr>\n`;
}

function link(path: string): string {
  return escapeHtml(escapePath(path).replaceAll('?', '%3F'));
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];

function sizeText(bytes: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  const value = bytes / 1024 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${units[power]}`;
}

import type { CID } from '@cairn/cid';

/** Version of the generated pages: a part of their entity tags. Raise it with every change of a page. */
export const pageVersion = '1';

/** Entity tags of the generated pages of a CID. */
export function pageTags(cid: CID): readonly [directory: string, document: string] {
  return [`"DirIndex-${pageVersion}_CID-${cid}"`, `"DagIndex-${pageVersion}_CID-${cid}"`];
}

/** Style of the generated pages. They load nothing from elsewhere. */
const pageStyle = `:root{color-scheme:light dark;--line:#8884;--soft:#777}
body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.1rem;font-weight:500;overflow-wrap:anywhere}a{text-decoration:none}a:hover{text-decoration:underline}
table{width:100%;border-collapse:collapse}td{padding:.35rem .5rem;border-top:1px solid var(--line)}
.icon{width:1.5rem}.size{text-align:right;white-space:nowrap;color:var(--soft)}
.ipfs-hash{font-family:ui-monospace,monospace;font-size:.85em;color:var(--soft)}
pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid var(--line);padding:1rem}
@media(max-width:40rem){.hash{display:none}}`;

/** Escapes text for HTML, also within quotes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** Start of a page, up to its content. */
export function pageHead(title: string): string {
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeHtml(title)}</title><style>${pageStyle}</style></head><body>
`;
}

export const pageEnd = '</body></html>\n';

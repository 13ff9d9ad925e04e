import type { CID } from '@cairn/cid';

/** Version of the generated pages: a part of their entity tags. Raise it with every change of a page. */
const pageVersion = '2';

/** Entity tags of the generated pages of a CID. */
export function pageTags(cid: CID): readonly [directory: string, document: string] {
  return [`"DirIndex-${pageVersion}_CID-${cid}"`, `"DagIndex-${pageVersion}_CID-${cid}"`];
}

/** Reports whether an entity tag is one of {@link pageTags}, of any version. */
export function isPageTag(etag: string): boolean {
  return /^"D(?:ir|ag)Index-/.test(etag);
}

/** Style of the generated pages. They load nothing from elsewhere. Text has a contrast of at least 4.5 in both themes. */
const pageStyle = `:root{color-scheme:light dark;--line:#8884;--soft:light-dark(#5c5c5c,#b0b0b0);--link:light-dark(#0b57d0,#8ab4f8)}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;background:light-dark(#fff,#131314)}
h1{font-size:1.15rem;font-weight:500;overflow-wrap:anywhere}a{color:var(--link)}
.meta{color:var(--soft);overflow-wrap:anywhere}
table{width:100%;border-collapse:collapse;table-layout:fixed}td,th{padding:.25rem .5rem;border-top:1px solid var(--line);text-align:start}
th{font-weight:500;color:var(--soft);border-top:0}
tbody tr:hover{background:#8881}
td a{display:inline-block;min-height:1.75rem;padding:.1rem 0;text-decoration:none;overflow-wrap:anywhere}td a:hover,td a:focus{text-decoration:underline}
.icon{width:2.75rem}.i{width:1.25rem;height:1.25rem;display:block;fill:none;stroke:var(--soft);stroke-width:1.5;stroke-linejoin:round}.hash{width:8.5rem}.size{width:6.5rem;text-align:end;white-space:nowrap;color:var(--soft)}
.ipfs-hash,code{font-family:ui-monospace,monospace;font-size:.85em}
pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid var(--line);padding:1rem}
@media(max-width:40rem){.hash{display:none}.size{width:5.5rem}}`;

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

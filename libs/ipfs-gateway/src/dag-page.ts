import { escapeHtml, pageEnd, pageHead } from './page-style.ts';

/** Page of a DAG-JSON or DAG-CBOR block. `json` is absent for a block that is too long to show. */
export function dagPage(cid: string, codec: string, json: string | undefined): string {
  const preview = json === undefined ? '<p>The block is too long to show.</p>' : `<pre>${escapeHtml(json)}</pre>`;
  return `${pageHead(`${codec} ${cid}`)}<main><h1>CID: <code translate="no">${escapeHtml(cid)}</code></h1>
<p>Codec: ${codec}. <a href="?format=raw" rel="nofollow">Download the block</a></p>
${preview}</main>
${pageEnd}`;
}

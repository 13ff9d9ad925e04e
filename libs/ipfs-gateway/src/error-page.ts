import { textBody } from './exchange.ts';
import type { GatewayResponse } from './gateway-types.ts';
import { escapeHtml, pageEnd, pageHead } from './page-style.ts';

interface Explanation {
  readonly title: string;
  readonly advice: string;
}

/** Texts of error pages, for people. */
const explanations: ReadonlyMap<number, Explanation> = new Map([
  [400, { title: 'The address is not valid', advice: 'Check the CID or name, and that the whole address was copied.' }],
  [404, { title: 'Not found', advice: 'The path does not exist, or this gateway does not have the content.' }],
  [405, { title: 'This gateway only reads', advice: 'Add content with the storage API.' }],
  [406, { title: 'This form is not available', advice: 'Fetch the block with ?format=raw and convert it.' }],
  [410, { title: 'No longer available', advice: 'The operator of this gateway does not provide this content.' }],
  [412, { title: 'Not stored here', advice: 'The request asked for stored content only.' }],
  [416, { title: 'The range is beyond the end', advice: 'Request the whole file.' }],
  [
    451,
    { title: 'Unavailable for legal reasons', advice: 'The operator of this gateway may not provide this content.' },
  ],
  [500, { title: 'The name or content could not be read', advice: 'Try again later, or with its CID.' }],
  [504, { title: 'The content did not arrive in time', advice: 'Its providers may be offline. Try again later.' }],
]);

/** Converts an error to a page for browsers. */
export function errorPage({ status, headers }: GatewayResponse, message: string): GatewayResponse {
  const { title, advice } = explanations.get(status) ?? { title: 'The request failed', advice: 'Try again later.' };
  const page = `${pageHead(`${status} ${title}`)}<main><h1>${status} ${escapeHtml(title)}</h1>
<p>${escapeHtml(advice)}</p>
<pre>${escapeHtml(message)}</pre></main>
${pageEnd}`;
  return { status, headers: { ...headers, 'content-type': 'text/html; charset=utf-8' }, body: textBody(page) };
}

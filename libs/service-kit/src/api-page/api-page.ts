import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ApiOperation, operationsOf } from './operations.ts';

const style = `:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}body{margin:0 auto;max-width:56rem;padding:1rem}
code,pre{font:14px/1.5 ui-monospace,monospace}pre{overflow:auto;padding:.75rem;border:1px solid #8886;border-radius:.5rem}
nav ul{columns:18rem;column-gap:2rem;padding-left:1.2rem}nav li{overflow-wrap:anywhere;break-inside:avoid}section{border-top:1px solid #8886;padding:.5rem 0}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-bottom:1px solid #8883}
h3{overflow-wrap:anywhere}a{color:LinkText}`;
const styleHash = createHash('sha256').update(style).digest('base64');

/** An OpenAPI 3.1 or OpenRPC 1.3 document. */
export interface ApiDocument {
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description?: string;
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

/** Renders a document for people: one page of HTML without scripts. */
export function apiPage(document: ApiDocument): string {
  const { title, version, description = '' } = document.info;
  const operations = operationsOf(document);
  const groups = groupOf(operations);
  const index = [...groups].map(
    ([group, members]) => `<h2>${html(group)}</h2><ul>${members.map(linkTo).join('')}</ul>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${html(title)}</title><style>${style}</style></head><body><main>
<h1>${html(title)} ${html(version)}</h1><p>${html(description)}</p><nav aria-label="Operations">${index.join('')}</nav>
${operations.map(sectionOf).join('\n')}
</main></body></html>`;
}

export interface ApiDocumentsOptions {
  /** Path of the JSON document, such as `/openapi.json`. */
  readonly path: string;
  readonly document: () => ApiDocument;
  /** Serves `/` with name, version and links. Default true; false for a service with its own pages. */
  readonly hasIndex?: boolean;
}

/** Serves the document of an API at its path, at `/docs` for people, and at `/` with links to both. */
export class ApiDocuments {
  readonly #path: string;
  readonly #document: () => ApiDocument;
  readonly #hasIndex: boolean;
  /** Rendered at the first request. */
  #json: string | undefined;
  #page: string | undefined;

  constructor({ path, document, hasIndex = true }: ApiDocumentsOptions) {
    this.#hasIndex = hasIndex;
    this.#path = path;
    this.#document = document;
  }

  /** @returns false for other paths */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const { url, method } = request;
    if (url !== this.#path && url !== '/docs' && !(this.#hasIndex && url === '/')) return false;
    if (method !== 'GET' && method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
      return true;
    }
    response.setHeader('cache-control', 'no-cache');
    if (url === '/') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(this.#index());
      return true;
    }
    if (url === this.#path) {
      this.#json ??= JSON.stringify(this.#document());
      response.writeHead(200, { 'content-type': 'application/json' }).end(this.#json);
      return true;
    }
    this.#page ??= apiPage(this.#document());
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; frame-ancestors 'none'; base-uri 'none'`,
      'referrer-policy': 'no-referrer',
    });
    response.end(this.#page);
    return true;
  }

  #index(): string {
    const { title: name, version } = this.#document().info;
    return `${JSON.stringify({ name, version, links: { docs: '/docs', description: this.#path, ...healthLinks } })}\n`;
  }
}

/** Paths of every service, for the index at `/`. */
const healthLinks = { live: '/livez', ready: '/readyz' } as const;

function groupOf(operations: readonly ApiOperation[]): Map<string, ApiOperation[]> {
  const groups = new Map<string, ApiOperation[]>();
  for (const operation of operations) groups.set(operation.group, [...(groups.get(operation.group) ?? []), operation]);
  return groups;
}

function linkTo({ id, title }: ApiOperation): string {
  return `<li><a href="#${html(id)}">${html(title)}</a></li>`;
}

function sectionOf({ id, title, summary, parameters, body, answers }: ApiOperation): string {
  const rows = parameters.map(
    ({ name, isRequired, text }) =>
      `<tr><td><code>${html(name)}</code>${isRequired ? ' (required)' : ''}</td><td>${html(text)}</td></tr>`,
  );
  const table = rows.length === 0 ? '' : `<table><tr><th>Parameter</th><th>Type</th></tr>${rows.join('')}</table>`;
  const bodyText = body === undefined ? '' : `<p>Body:</p><pre>${html(body)}</pre>`;
  const shown = answers.map(([status, text]) => `<tr><td>${html(status)}</td><td>${html(text)}</td></tr>`);
  return `<section id="${html(id)}"><h3><code>${html(title)}</code></h3><p>${html(summary)}</p>${table}${bodyText}<table><tr><th>Response</th><th>Condition</th></tr>${shown.join('')}</table></section>`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function html(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);
}

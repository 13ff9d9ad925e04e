import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ApiDocuments, apiPage } from './api-page.ts';

const openApi = {
  openapi: '3.1.0',
  info: { title: 'An <API>', version: '1.2.3', description: 'Says "hello".' },
  paths: {
    '/things/{id}': {
      put: {
        operationId: 'putThing',
        summary: 'Puts a thing.',
        tags: ['things'],
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'depth', in: 'query', description: 'how deep', schema: { type: 'integer', minimum: 0, default: 3 } },
        ],
        requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
        responses: { 200: { description: 'It is put.' }, 404: { $ref: '#/components/responses/E404' } },
      },
    },
  },
  components: { responses: { E404: { description: 'There is none.' } } },
};
const openRpc = {
  openrpc: '1.3.2',
  info: { title: 'A gateway', version: '1' },
  methods: [
    {
      name: 'eth_thing',
      summary: 'A thing.',
      params: [{ name: 'hash', summary: 'its <hash>', required: true, schema: {} }],
      result: { name: 'result', summary: 'The thing.' },
      errors: [{ code: -32001, message: 'not found' }],
      'x-cost': 4,
    },
  ],
};

describe('apiPage', () => {
  test('lists every OpenAPI operation with parameters, body and responses', () => {
    const page = apiPage(openApi);
    expect(page).toContain('<h1>An &lt;API&gt; 1.2.3</h1><p>Says &quot;hello&quot;.</p>');
    expect(page).toContain('<a href="#putThing">PUT /things/{id}</a>');
    expect(page).toContain('<code>id</code> (required)');
    expect(page).toContain('how deep; integer, from 0, default 3');
    expect(page).toContain('<td>404</td><td>There is none.</td>');
    expect(page).toContain('&quot;application/json&quot;');
  });

  test('lists every OpenRPC method with its cost and errors', () => {
    const page = apiPage(openRpc);
    expect(page).toContain('A thing. Costs 4 credits.');
    expect(page).toContain('its &lt;hash&gt;');
    expect(page).toContain('<td>-32001</td><td>not found</td>');
    expect(page).not.toMatch(/<script|javascript:/);
  });
});

describe('ApiDocuments', () => {
  let server: Server;
  let url: string;
  beforeAll(async () => {
    const documents = new ApiDocuments({ path: '/openapi.json', document: () => openApi });
    server = createServer((request, response) => {
      if (!documents.handle(request, response)) response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  test('serves JSON for machines and a page without scripts for people, and ignores other paths', async () => {
    expect(await (await fetch(`${url}/openapi.json`)).json()).toEqual(openApi);
    const page = await fetch(`${url}/docs`);
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(await page.text()).toBe(apiPage(openApi));
    expect((await fetch(`${url}/docs`, { method: 'POST' })).status).toBe(405);
    expect((await fetch(`${url}/other`)).status).toBe(404);
  });

  test('serves an index with the service, its version and its links', async () => {
    const answer = await fetch(url);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(await answer.json()).toEqual({
      name: openApi.info.title,
      version: openApi.info.version,
      links: { docs: '/docs', description: '/openapi.json', live: '/livez', ready: '/readyz' },
    });
  });
});

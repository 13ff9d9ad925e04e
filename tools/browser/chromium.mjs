// Runs pages in the browser of this machine. Nothing is downloaded.

import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, normalize } from 'node:path';
import { chromium } from 'playwright-core';
import { createServer as createDevelopmentServer } from 'vite';
import { loggerTo } from './bundle.mjs';

export const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);

const page = `<!doctype html><meta charset="utf-8"><title>Cairn</title><script type="module">
import * as entry from './entry.js';
globalThis.entry = entry;
</script>`;

/** Serves the files of a directory and a page that loads its `entry.js`. */
export async function serve(directory) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname === '/') return response.writeHead(200, { 'content-type': 'text/html' }).end(page);
    const file = join(directory, normalize(pathname));
    if (!file.endsWith('.js') || !existsSync(file)) return response.writeHead(404).end();
    return response.writeHead(200, { 'content-type': 'text/javascript' }).end(readFileSync(file));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  };
}

/**
 * Opens the page of a directory and calls a function of its entry. Without a name, only the entry runs.
 * @returns its result, and the console output of the page
 */
export async function runInPage(browser, directory, name, argument) {
  const server = await serve(directory);
  const context = await browser.newContext();
  try {
    const tab = await context.newPage();
    tab.setDefaultTimeout(60_000);
    const faults = [];
    const lines = [];
    tab.on('pageerror', (error) => faults.push(error.message));
    tab.on('console', (message) => (message.type() === 'error' ? faults : lines).push(message.text()));
    // Browsers request it on their own.
    await tab.route('**/favicon.ico', (route) => route.fulfill({ status: 204 }));
    await tab.goto(server.url);
    await tab.waitForFunction('globalThis.entry !== undefined');
    const call = ([called, given]) => globalThis.entry[called]?.(given);
    const result = await tab.evaluate(call, [name ?? '', argument]);
    return { result, lines, faults };
  } finally {
    await context.close();
    await server.close();
  }
}

/**
 * Opens the `index.html` of a project on Vite's development server.
 * @param expression global that the page sets when it is done
 */
export async function runInDevelopment(browser, root, expression) {
  const warnings = [];
  const warn = (message) => warnings.push(message);
  const server = await createDevelopmentServer({
    root,
    configFile: false,
    server: { host: '127.0.0.1', port: 0, hmr: false },
    customLogger: loggerTo(warn),
  });
  const context = await browser.newContext();
  try {
    await server.listen();
    const tab = await context.newPage();
    const faults = [];
    tab.on('pageerror', (error) => faults.push(error.message));
    await tab.goto(server.resolvedUrls.local[0]);
    // Vite reloads the page after it has found packages to prebundle.
    await tab.waitForFunction(`${expression} !== undefined`, undefined, { timeout: 90_000 });
    return { libs: await tab.evaluate(expression), faults, warnings };
  } finally {
    await context.close();
    await server.close();
  }
}

export function launch() {
  return chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] });
}

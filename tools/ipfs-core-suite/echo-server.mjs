import { createServer } from 'node:http';

/** Server for the tests of `add` with a URL: returns the requested content, or redirects to it. */
export async function startEchoServer() {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://echo');
    if (pathname.startsWith('/redirect')) {
      response.writeHead(302, { location: searchParams.get('to') }).end();
    } else response.end(searchParams.get('data'));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { NestApplicationOptions } from '@nestjs/common';
import { AbstractHttpAdapter } from '@nestjs/core';

/**
 * HTTP adapter of a service without Nest controllers: it owns the server, routes nothing and loads no Express. Requests
 * that the service's `RawHttp` does not take get 404, with the body that Nest gives.
 */
export class RawHttpAdapter extends AbstractHttpAdapter<Server, IncomingMessage, ServerResponse> {
  readonly #headBytesMax: number | undefined;

  /** @param options.headBytesMax bytes of a request line with its fields; default: the limit of Node */
  constructor({ headBytesMax }: { readonly headBytesMax?: number | undefined } = {}) {
    super();
    this.#headBytesMax = headBytesMax;
  }

  initHttpServer({ httpsOptions }: NestApplicationOptions): void {
    const options = this.#headBytesMax === undefined ? {} : { maxHeaderSize: this.#headBytesMax };
    this.httpServer = httpsOptions
      ? createHttpsServer({ ...httpsOptions, ...options }, notFound)
      : createHttpServer(options, notFound);
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.httpServer.close(() => resolve()));
  }

  getType(): string {
    return 'raw-http';
  }

  getRequestHostname({ headers }: IncomingMessage): string | undefined {
    return headers.host;
  }

  getRequestMethod({ method }: IncomingMessage): string | undefined {
    return method;
  }

  getRequestUrl({ url }: IncomingMessage): string | undefined {
    return url;
  }

  status(response: ServerResponse, statusCode: number): void {
    response.statusCode = statusCode;
  }

  reply(response: ServerResponse, body: unknown, statusCode?: number): void {
    if (statusCode !== undefined) response.statusCode = statusCode;
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.end(JSON.stringify(body));
  }

  end(response: ServerResponse, message?: string): void {
    response.end(message);
  }

  isHeadersSent(response: ServerResponse): boolean {
    return response.headersSent;
  }

  getHeader(response: ServerResponse, name: string): unknown {
    return response.getHeader(name);
  }

  setHeader(response: ServerResponse, name: string, value: string): void {
    response.setHeader(name, value);
  }

  appendHeader(response: ServerResponse, name: string, value: string): void {
    response.appendHeader(name, value);
  }

  // Nest calls these at every start.
  setErrorHandler(): void {}
  setNotFoundHandler(): void {}
  override use(): void {}

  redirect = unsupported;
  render = unsupported;
  registerParserMiddleware = unsupported;
  enableCors = unsupported;
  useStaticAssets = unsupported;
  setViewEngine = unsupported;
  createMiddlewareFactory = unsupported;
  applyVersionFilter = unsupported;
}

function notFound({ method, url }: IncomingMessage, response: ServerResponse): void {
  const body = JSON.stringify({ message: `Cannot ${method} ${url}`, error: 'Not Found', statusCode: 404 });
  response.writeHead(404, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

function unsupported(): never {
  throw new Error('This service routes nothing through Nest. Start it with `adapter` set to an Express adapter.');
}

import type { Blockstore, BufferPool } from '@cairn/blockstore/core';
import type { CID } from '@cairn/cid';
import type { ContentRequest, GatewayRequest, GatewayResponse } from './gateway-types.ts';
import type { RequestTarget } from './request-target.ts';
import type { RequestedFormat } from './response-format.ts';

/** Place of the content in the request: a path, or a host name that is an origin of its own. */
export interface ContentOrigin {
  /** Host of a subdomain or DNSLink request. Absent for path requests. */
  readonly host?: string;
  /** Host of the gateway that a subdomain belongs to, with its port. Absent for path and DNSLink requests. */
  readonly gateway?: string;
  readonly namespace: 'ipfs' | 'ipns';
  /** CID or name as text. */
  readonly root: string;
  /** Decoded path below the root, with a leading slash, or empty. */
  readonly below: string;
  /** Decoded path of the URL. */
  readonly urlPath: string;
}

/** State of one request. */
export interface Exchange {
  readonly request: GatewayRequest;
  readonly target: RequestTarget;
  readonly requested: RequestedFormat;
  readonly origin: ContentOrigin;
  readonly blocks: Pick<Blockstore, 'get' | 'has'>;
  /** Concurrent reads of blocks of a file. */
  readonly readAhead?: number;
  /** Buffers for the blocks of large files. */
  readonly buffers?: BufferPool;
  /** Set to the content of a response that may be kept in memory. */
  readonly kept: { content?: ContentRequest };
  /** True once a request with `only-if-cached` has found its content in this store. */
  readonly isFoundLocally?: true;
  /** Fields of the response so far. They stay on an error. */
  readonly headers: Record<string, string>;
}

/** Content that the path of a request leads to. */
export interface Content {
  readonly cid: CID;
  /** Root of the immutable path. */
  readonly root: CID;
  readonly segments: readonly string[];
  /** Seconds that the name may be cached: undefined if unknown. Ignored for immutable content. */
  readonly ttlSeconds?: number | undefined;
}

/** Content path of a request: /ipfs/<cid>/names. */
export function contentPath({ namespace, root, below }: ContentOrigin): string {
  return `/${namespace}/${root}${below}`;
}

/** Value of a request field with one line. */
export function field({ headers }: Pick<GatewayRequest, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' || value === undefined ? value : value.join(', ');
}

/** File name that the query gives to the client, or undefined without one. */
export function fileNameOf({ query }: RequestTarget): string | undefined {
  return query.get('filename') || undefined;
}

/** Last name of a path, or undefined. */
export function lastName(segments: readonly string[]): string | undefined {
  return segments.at(-1);
}

/** Read options of a request. */
export function readOptions({ request: { signal } }: Exchange): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

/** Response that moves the client. The body is for people. */
export function redirect(
  status: number,
  location: string,
  headers: Readonly<Record<string, string>> = {},
): GatewayResponse {
  const escaped = location.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return {
    status,
    headers: { ...headers, location, 'content-type': 'text/html; charset=utf-8' },
    body: textBody(`<a href="${escaped}">Moved</a>.\n`),
  };
}

/** Yields a text as UTF-8. */
export async function* textBody(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

import type { Blockstore, BufferPool } from '@cairn/blockstore/core';
import type { CID } from '@cairn/cid';
import type { NameSources } from '@cairn/ipns';

/** HTTP request without its transport. */
export interface GatewayRequest {
  readonly method: string;
  /** Value of the Host field. */
  readonly host: string;
  /** Request target: path and query as sent, or an absolute URL. */
  readonly target: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly isHttps?: boolean;
  readonly signal?: AbortSignal;
}

/** HTTP response without its transport. */
export interface GatewayResponse {
  readonly status: number;
  /** Names in lower case. Values are Unicode text; a transport sends it as UTF-8. */
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes as they are read. An error ends the connection, since the status has been sent. Absent: no body. */
  readonly body?: AsyncIterable<Uint8Array>;
  /** Whole body in memory, which {@link body} yields too: a transport can write it with the head. */
  readonly bytes?: Uint8Array;
  /**
   * Returns the body from an offset on. A transport whose client does not read can drop the bytes and read them again
   * later. Absent: the body can be read once.
   */
  readonly resume?: (offset: number) => AsyncIterable<Uint8Array>;
  /** Pool to which the transport may give back each chunk that it has sent. */
  readonly buffers?: BufferPool;
}

/** Content of a request, for the policy. */
export interface ContentRequest {
  /** Content path, such as /ipns/example.org/page. */
  readonly path: string;
  /** CIDs from the root to the requested block, as far as they are known: none before a name is resolved. */
  readonly roots: readonly CID[];
  /** Names below the first root. */
  readonly names: readonly string[];
}

/** Reason why content is not served: 410 Gone or 451 Unavailable For Legal Reasons, or another client error. */
export interface Refusal {
  readonly status: number;
  readonly text: string;
}

/** Host name under which CIDs and names are subdomains. */
export interface SubdomainHost {
  readonly host: string;
  /** Writes DNSLink names as one label, which a wildcard certificate covers: `en-wikipedia--on--ipfs-org`. */
  readonly inlinesDnslink?: boolean;
}

export interface GatewayOptions {
  /** Source of blocks, verified by the store (`withVerification`). */
  readonly blocks: Pick<Blockstore, 'get' | 'has'>;
  readonly names?: NameSources;
  /** Hosts of subdomain gateways. Default: none. */
  readonly subdomainHosts?: readonly SubdomainHost[];
  /** Concurrent reads of blocks of one file, asked for each response. Default: 8. */
  readonly readAhead?: () => number;
  /** Buffers for the blocks of large files. */
  readonly buffers?: BufferPool;
  /** Bytes of small responses kept in memory. They do not depend on the caller beside `policy`. Default: 0, none. */
  readonly hotBytesMax?: number;
  /** Decides whether a request may read content. Default: everything may be read. */
  readonly policy?: (
    content: ContentRequest,
    request: GatewayRequest,
  ) => Refusal | undefined | Promise<Refusal | undefined>;
}

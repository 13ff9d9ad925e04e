import { RpcError, type RpcErrorName } from '@cairn/jsonrpc-core';

export interface TransportErrorOptions {
  readonly status: number;
  readonly name: RpcErrorName;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly data?: unknown;
}

/** An error of a whole request rather than of one call, with its HTTP status and header fields. */
export class TransportError extends RpcError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor({ status, name, message, headers = {}, data }: TransportErrorOptions) {
    super(name, message, data);
    this.status = status;
    this.headers = headers;
  }
}

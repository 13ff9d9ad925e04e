/** An error of the wire: a status and a message for the client. */
export class ApiError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** A failure of the service, and not of the request. Its body has the code 2, ErrImplementation of go-ipfs-cmds. */
export class ServiceFaultError extends ApiError {}

/** Returns an error of the same kind with words before its message. */
export function prefixed(error: ApiError, words: string): ApiError {
  const Kind = error instanceof ServiceFaultError ? ServiceFaultError : ApiError;
  return new Kind(error.status, `${words}: ${error.message}`, error.headers);
}

/**
 * Refuses a request before its command runs: an unknown command, a missing argument, an option of another type. Kubo
 * sends these errors as plain text.
 */
export class PlainApiError extends ApiError {}

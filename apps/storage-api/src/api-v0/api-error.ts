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

/**
 * Refuses a request before its command runs: an unknown command, a missing argument, an option of another type. Kubo
 * sends these errors as plain text.
 */
export class PlainApiError extends ApiError {}

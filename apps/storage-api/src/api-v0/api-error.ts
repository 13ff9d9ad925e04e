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
 * Header field of an answer to a request that is not at fault. Kubo's status 500 and its body are the same for a refusal and for a
 * failure.
 */
export const faultHeaders = { 'x-cairn-fault': '1' } as const;

/** Returns the error with words before its message. */
export function prefixed(error: ApiError, words: string): ApiError {
  return new ApiError(error.status, `${words}: ${error.message}`, error.headers);
}

/**
 * Refuses a request before its command runs: an unknown command, a missing argument, an option of another type. Kubo
 * sends these errors as plain text.
 */
export class PlainApiError extends ApiError {}

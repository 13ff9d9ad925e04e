import { CairnError } from '@cairn/errors';

/** Thrown for a request that a gateway answers with an error status. The text is the body of the response. */
export class GatewayError extends CairnError<'GATEWAY_REFUSED'> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, text: string, headers: Readonly<Record<string, string>> = {}) {
    super('GATEWAY_REFUSED', text, { details: { status } });
    this.status = status;
    this.headers = headers;
  }
}

/** Thrown for a `_redirects` file that cannot be used. */
export class InvalidRedirectsError extends CairnError<'REDIRECTS_INVALID'> {
  constructor(reason: string) {
    super('REDIRECTS_INVALID', `could not parse _redirects: ${reason}`);
  }
}

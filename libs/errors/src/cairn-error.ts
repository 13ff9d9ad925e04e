/** Optional parts of a {@link CairnError}. */
export interface CairnErrorOptions {
  /** Action that resolves the error: one imperative sentence. */
  readonly hint?: string;
  /** Facts for logs and for the wire. Must not contain keys, secrets or credentials. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * The base of every error that a Cairn package throws on purpose.
 *
 * `code` is API. Match it with {@link isCairnError}, since `instanceof` fails when two versions of a package are
 * installed side by side. `message` states the problem and its subject; `hint` states the next action.
 */
export class CairnError<Code extends string = string> extends Error {
  readonly code: Code;
  readonly hint: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: Code, message: string, options: CairnErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.hint = options.hint;
    this.details = options.details ?? {};
  }
}

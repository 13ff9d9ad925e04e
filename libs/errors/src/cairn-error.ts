/** What a {@link CairnError} is built from. */
export interface CairnErrorOptions {
  /** What the reader can do about it: one sentence, imperative. */
  readonly hint?: string;
  /** Facts for logs and for the wire. Keys, secrets and credentials never belong here. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * The base of every error that a Cairn package throws on purpose.
 *
 * `code` is API: match it with {@link isCairnError} instead of `instanceof`, which fails when two versions of a package
 * are installed side by side. `message` says what happened and to what; `hint` says what to do next.
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

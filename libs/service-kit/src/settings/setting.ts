import * as z from 'zod';

/**
 * Treatment of a value beside its check: a `path` is made absolute, a `file` also has to exist, and the value of a
 * `secret` never appears in a message.
 */
export type SettingKind = 'plain' | 'path' | 'file' | 'secret';

/** Result of {@link Setting.parse}. */
export type ParsedSetting<T> = { readonly value: T } | { readonly problem: string };

/** One setting: its accepted values, its default and its meaning. */
export class Setting<T> {
  readonly #schema: z.ZodType<T>;
  readonly kind: SettingKind;
  /** Meaning, in the words of the READMEs. */
  readonly description: string;

  constructor(schema: z.ZodType<T>, kind: SettingKind = 'plain', description = '') {
    this.#schema = schema;
    this.kind = kind;
    this.description = description;
  }

  /** Value where the setting is not set. */
  default(value: T): Setting<T> {
    // The type of zod's default excludes undefined, which no setting with a default has.
    const schema = this.#schema.optional().transform((given) => given ?? value);
    return new Setting<T>(schema, this.kind, this.description);
  }

  optional(): Setting<T | undefined> {
    return new Setting(this.#schema.optional(), this.kind, this.description);
  }

  describe(description: string): Setting<T> {
    return new Setting(this.#schema, this.kind, description);
  }

  parse(raw: unknown): ParsedSetting<T> {
    const { success, data, error } = this.#schema.safeParse(raw);
    return success ? { value: data } : { problem: error.issues[0]?.message ?? 'the value is not valid' };
  }
}

/** A whole number from `min` to `max`; `noun` names it in messages. */
export function integer(min: number, max: number, noun: string): Setting<number> {
  const expected = `expected ${noun} from ${min} to ${max}`;
  return new Setting(
    z.coerce
      .string()
      .regex(/^\d{1,15}$/, expected)
      .transform(Number)
      .refine((value) => value >= min && value <= max, expected),
  );
}

/** A TCP port; 0 takes a free one. */
export const port = (): Setting<number> => integer(0, 65_535, 'a port');

/** Text that matches `pattern`; `expected` describes it in messages. */
export function text(pattern: RegExp, expected: string): Setting<string> {
  return new Setting(matching(pattern, expected));
}

/** Text that no message shows. */
export function secret(pattern: RegExp, expected: string): Setting<string> {
  return new Setting(matching(pattern, expected), 'secret');
}

export function oneOf<const T extends string>(values: readonly T[]): Setting<T> {
  const last = values.at(-1);
  const expected = values.length === 2 ? `expected ${values[0]} or ${last}` : `expected one of ${values.join(', ')}`;
  return new Setting<T>(z.enum(values, { error: expected }));
}

/** An HTTP or HTTPS address. */
export const url = (): Setting<string> =>
  text(/^https?:\/\/[^\s/]+(\/[^\s]*)?$/, 'an address such as https://storage.example');

/** PATH_MAX of Linux. */
const pathPattern = /^[^\0]{1,4096}$/;

/** A path, absolute after loading. */
export const path = (): Setting<string> => new Setting(matching(pathPattern, 'a path'), 'path');

/** A path of a file that has to exist. */
export const existingFile = (): Setting<string> => new Setting(matching(pathPattern, 'a path'), 'file');

/** Origins of web pages, for CORS. */
export const origins = (): Setting<string> =>
  text(
    /^(\*|https?:\/\/[^\s,/]+(,https?:\/\/[^\s,/]+)*)$/,
    '* or origins such as https://app.example, without a path and separated by commas',
  );

function matching(pattern: RegExp, expected: string): z.ZodType<string> {
  return z.string({ error: `expected ${expected}` }).regex(pattern, `expected ${expected}`);
}

import { isUtf8, nextTurn, textFromUtf8 } from '@cairn/platform';
import { parse } from 'yaml';
import { InvalidDenylistError } from './errors.ts';
import { limits } from './limits.ts';
import { type Hints, parseRule } from './parse-rule.ts';
import { RuleList } from './rule-list.ts';

/** Header of a denylist. */
export interface DenylistHeader {
  readonly name?: string;
  readonly description?: string;
  readonly author?: string;
  readonly hints: Hints;
}

/** Line that is no rule and is ignored. */
export interface LineProblem {
  readonly line: number;
  readonly reason: string;
}

/** Content of a denylist file. */
export interface ParsedDenylist {
  readonly header: DenylistHeader;
  readonly rules: RuleList;
  /** First lines that are no rules. */
  readonly problems: readonly LineProblem[];
  /** Number of all lines that are no rules. */
  readonly problemCount: number;
}

export interface ReadDenylistOptions {
  /** Name of the file, for messages. */
  readonly file: string;
  /** Bytes of the file, for which memory is reserved. */
  readonly bytesExpected?: number;
  readonly signal?: AbortSignal;
}

/** Milliseconds after which parsing lets other work run. */
const sliceMs = 5;

/** Bytes of a short line, to estimate the number of rules. */
const bytesPerRule = 32;

/**
 * Parses a denylist (https://specs.ipfs.tech/compact-denylist-format/) as it is read, in slices of a few milliseconds. A line
 * that is no rule is reported and ignored: all other rules of a list of others apply.
 * @throws DENYLIST_INVALID for a header, a version, a line or a size that the format does not allow
 */
export async function readDenylist(
  source: AsyncIterable<Uint8Array>,
  { file, bytesExpected = 0, signal }: ReadDenylistOptions,
): Promise<ParsedDenylist> {
  const reader = new DenylistReader(file, Math.min(bytesExpected / bytesPerRule, limits.rulesMax));
  let sliceEnd = performance.now() + sliceMs;
  for await (const line of linesOf(source, file)) {
    reader.add(line);
    if (performance.now() < sliceEnd) continue;
    await nextTurn();
    signal?.throwIfAborted();
    sliceEnd = performance.now() + sliceMs;
  }
  return reader.end();
}

/** Parses lines in order. Lines before a possible end of the header wait for it. */
class DenylistReader {
  readonly #file: string;
  readonly #rules: RuleList;
  readonly #problems: LineProblem[] = [];
  #problemCount = 0;
  /** Lines of a possible header; undefined after it. */
  #waiting: string[] | undefined = [];
  #waitingBytes = 0;
  #header: DenylistHeader = { hints: {} };
  #line = 0;

  constructor(file: string, rulesExpected: number) {
    this.#file = file;
    this.#rules = new RuleList(Math.ceil(rulesExpected));
  }

  add(line: string): void {
    if (this.#waiting === undefined) {
      this.#parse(line);
      return;
    }
    if (line === '---') {
      this.#line = this.#waiting.length + 1;
      this.#header = parseHeader(this.#waiting.join('\n'), this.#file);
      this.#waiting = undefined;
      return;
    }
    this.#waiting.push(line);
    this.#waitingBytes += line.length + 1;
    if (this.#waitingBytes > limits.headerBytesMax) this.#parseWaiting();
  }

  end(): ParsedDenylist {
    this.#parseWaiting();
    return {
      header: this.#header,
      rules: this.#rules,
      problems: this.#problems,
      problemCount: this.#problemCount,
    };
  }

  /** Parses lines as rules, since no header has ended within its limit. */
  #parseWaiting(): void {
    const lines = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const line of lines) this.#parse(line);
  }

  #parse(line: string): void {
    this.#line++;
    const rule = parseRule(line, this.#header.hints);
    if (rule === undefined) return;
    if (typeof rule === 'string') {
      this.#problemCount++;
      if (this.#problems.length < limits.problemsMax) this.#problems.push({ line: this.#line, reason: rule });
      return;
    }
    if (this.#rules.size >= limits.rulesMax)
      throw new InvalidDenylistError(this.#file, this.#line, `it has more than ${limits.rulesMax} rules`);
    this.#rules.add(rule, this.#line);
  }
}

/** Splits bytes into lines without their ends. @throws DENYLIST_INVALID for a line that is too long or not UTF-8 */
async function* linesOf(source: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<string> {
  let rest: Uint8Array = new Uint8Array(0);
  let number = 1;
  const assertLength = ({ length }: Uint8Array) => {
    if (length >= limits.lineBytesMax)
      throw new InvalidDenylistError(file, number, `the line is longer than ${limits.lineBytesMax} bytes`);
  };
  const text = (bytes: Uint8Array) => {
    assertLength(bytes);
    if (!isUtf8(bytes)) throw new InvalidDenylistError(file, number, 'the line is not UTF-8');
    number++;
    return textFromUtf8(bytes.at(-1) === 13 ? bytes.subarray(0, -1) : bytes);
  };
  for await (const chunk of source) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      const part = chunk.subarray(start, end);
      yield text(rest.length === 0 ? part : Buffer.concat([rest, part]));
      rest = new Uint8Array(0);
      start = end + 1;
    }
    if (start < chunk.length) rest = Buffer.concat([rest, chunk.subarray(start)]);
    assertLength(rest);
  }
  if (rest.length > 0) yield text(rest);
}

/** @throws DENYLIST_INVALID */
function parseHeader(text: string, file: string): DenylistHeader {
  let value: unknown;
  try {
    // Aliases could expand to any size.
    value = parse(text, { maxAliasCount: 0, logLevel: 'error' });
  } catch (error) {
    throw new InvalidDenylistError(file, 1, 'the header before the line --- is not YAML', error);
  }
  if (value === null || value === undefined) return { hints: {} };
  if (typeof value !== 'object' || Array.isArray(value))
    throw new InvalidDenylistError(file, 1, 'the header before the line --- is not a YAML map');
  const fields = new Map<string, unknown>(Object.entries(value));
  const version = fields.get('version') ?? 1;
  // nopfs takes version 0 as absent.
  if (version !== 1 && version !== 0)
    throw new InvalidDenylistError(file, 1, `version ${JSON.stringify(version)} is not supported; the latest is 1`);
  const given = fields.get('hints');
  const hints: Record<string, string> = Object.create(null);
  if (typeof given === 'object' && given !== null)
    for (const [key, hint] of Object.entries(given)) hints[key] = String(hint);
  const line = (name: string) => {
    const field = fields.get(name);
    return typeof field === 'string' ? { [name]: field } : {};
  };
  return { ...line('name'), ...line('description'), ...line('author'), hints };
}

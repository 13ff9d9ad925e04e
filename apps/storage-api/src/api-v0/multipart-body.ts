// Hot path of every upload: tools/bench/peers.mjs, rows of `add`. multipart-body.spec.ts compares the search for boundaries with
// that of Buffer.indexOf.
import { ApiError } from './api-error.ts';

const headerBytesMax = 16 * 1024;
const preambleBytesMax = 64 * 1024;
const crlf = Buffer.from('\r\n');
/** Beginnings of delimiters that are compared one by one in a chunk. */
const candidatesMax = 16;
const carriageReturn = 0x0d;
const lineFeed = 0x0a;
const dash = 0x2d;
const dashes = 0x2d2d;
/** Space, tab, carriage return and line feed. */
const blanks: readonly number[] = [0x20, 0x09, 0x0d, 0x0a];
/** Longest rest of the line of a boundary. */
const lineBytesMax = 200;

/**
 * Parses a multipart body (RFC 2046, section 5.1) as it streams in: {@link nextPart}, {@link partHeaders}, then
 * {@link partBytes}. Bytes of parts are slices of the received chunks, not copies.
 */
export class MultipartBody {
  readonly #source: AsyncIterator<Buffer>;
  /** End of the lines around parts. As in Go, that of the first boundary applies to the whole body. */
  #lineEnd: Buffer = crlf;
  /** Delimiter of a part: line end and boundary. */
  #delimiter: Buffer;
  /** Received bytes that are not consumed. A body may begin with its first boundary, as if a line ended before it. */
  #buffer: Buffer = crlf;
  #hasBegun = false;
  #isInPart = false;

  constructor(source: AsyncIterable<Buffer>, boundary: Buffer) {
    this.#source = source[Symbol.asyncIterator]();
    this.#delimiter = Buffer.concat([crlf, Buffer.from('--'), boundary]);
  }

  /** Advances to the next part and skips the rest of this one; false after the last. @throws ApiError 400 */
  async nextPart(): Promise<boolean> {
    if (!this.#hasBegun) {
      await this.#skipPreamble();
      await this.#chooseLineEnd();
    }
    this.#hasBegun = true;
    for await (const _ of this.partBytes());
    await this.#fill(2);
    if (this.#buffer.readUInt16BE() === dashes) {
      await this.#requireEndOfLine();
      return false;
    }
    const line = await this.#take(this.#lineEnd, lineBytesMax, 'a boundary is not followed by the end of its line');
    if (!isBlank(line)) throw invalid('a boundary is followed by other text');
    this.#isInPart = true;
    return true;
  }

  /** Returns the headers of a part, without the empty line after them. @throws ApiError 400 */
  async partHeaders(): Promise<string> {
    const { length } = this.#lineEnd;
    await this.#fill(length);
    // A part without headers begins with the empty line.
    if (this.#buffer.subarray(0, length).equals(this.#lineEnd)) {
      this.#buffer = this.#buffer.subarray(length);
      return '';
    }
    const headers = await this.#take(
      Buffer.concat([this.#lineEnd, this.#lineEnd]),
      headerBytesMax,
      `a part has more than ${headerBytesMax} bytes of headers`,
    );
    return headers.toString('utf8');
  }

  /** Yields the bytes of the part to its end. @throws ApiError 400 when the body ends before it */
  async *partBytes(): AsyncGenerator<Buffer> {
    while (this.#isInPart) {
      const { end, isDelimiter } = this.#scan();
      if (isDelimiter) this.#isInPart = false;
      const bytes = this.#buffer.subarray(0, end);
      this.#buffer = this.#buffer.subarray(isDelimiter ? end + this.#delimiter.length : end);
      if (bytes.length > 0) yield bytes;
      if (this.#isInPart) await this.#more();
    }
  }

  async #skipPreamble(): Promise<void> {
    for (let skipped = 0; ; ) {
      const { end, isDelimiter } = this.#scan();
      skipped += end;
      this.#buffer = this.#buffer.subarray(isDelimiter ? end + this.#delimiter.length : end);
      if (skipped > preambleBytesMax) throw invalid('its boundary does not occur in it');
      if (isDelimiter) return;
      await this.#more();
    }
  }

  /** Chooses line feeds where one ends the first boundary without a carriage return, as in bodies written by hand. */
  async #chooseLineEnd(): Promise<void> {
    await this.#fill(1);
    if (this.#buffer[0] !== lineFeed) return;
    this.#lineEnd = this.#lineEnd.subarray(1);
    this.#delimiter = this.#delimiter.subarray(1);
  }

  /**
   * Finds the next delimiter. Text that only begins like one is content: a delimiter is followed by the end of its
   * line, white space, or two dashes, as in Go's mime/multipart. Without `isDelimiter`, bytes before `end` are
   * content and the rest is undecided.
   */
  #scan(): { readonly end: number; readonly isDelimiter: boolean } {
    const buffer = this.#buffer;
    for (let from = 0; ; ) {
      const at = this.#findDelimiter(from);
      if (at === -1) return { end: this.#undecided(), isDelimiter: false };
      const [next, second] = buffer.subarray(at + this.#delimiter.length, at + this.#delimiter.length + 2);
      if (next === undefined || (next === dash && second === undefined)) return { end: at, isDelimiter: false };
      if (next === dash ? second === dash : blanks.includes(next)) return { end: at, isDelimiter: true };
      from = at + 1;
    }
  }

  /**
   * Returns where the next whole delimiter begins; -1 without one. Node searches short patterns with the instructions of
   * `memchr`, at several times the rate of long ones. Content that repeats the beginning of a delimiter is searched for all
   * of it.
   */
  #findDelimiter(from: number): number {
    const buffer = this.#buffer;
    const { length } = this.#delimiter;
    const beginning = this.#delimiter.subarray(0, this.#lineEnd.length + 2);
    let start = from;
    for (let tried = 0; tried < candidatesMax; tried++) {
      const at = buffer.indexOf(beginning, start);
      if (at === -1 || at + length > buffer.length) return -1;
      if (buffer.compare(this.#delimiter, 0, length, at, at + length) === 0) return at;
      start = at + 1;
    }
    return buffer.indexOf(this.#delimiter, start);
  }

  /** Returns where a delimiter may begin that continues in the next chunk; the end of the buffer where none can. */
  #undecided(): number {
    const { length } = this.#buffer;
    const first = this.#lineEnd[0] ?? carriageReturn;
    for (let at = Math.max(0, length - this.#delimiter.length + 1); at < length; at++) {
      const from = this.#buffer.indexOf(first, at);
      if (from === -1) return length;
      if (this.#delimiter.subarray(0, length - from).equals(this.#buffer.subarray(from))) return from;
      at = from;
    }
    return length;
  }

  /**
   * Requires that the line of the last boundary has no other text. Content that looks like a boundary would
   * otherwise be cut off silently.
   */
  async #requireEndOfLine(): Promise<void> {
    while (!this.#buffer.includes(0x0a) && this.#buffer.length < lineBytesMax) if (!(await this.#read())) break;
    const [line = ''] = this.#buffer.subarray(2).toString('latin1').split('\n', 1);
    if (!/^[ \t\r]*$/.test(line)) throw invalid('the last boundary is followed by other text');
  }

  /** Returns the bytes before `mark` and consumes both. */
  async #take(mark: Buffer, bytesMax: number, reason: string): Promise<Buffer> {
    while (true) {
      const at = this.#buffer.indexOf(mark);
      if (at !== -1 && at <= bytesMax) {
        const taken = this.#buffer.subarray(0, at);
        this.#buffer = this.#buffer.subarray(at + mark.length);
        return taken;
      }
      if (this.#buffer.length > bytesMax + mark.length) throw invalid(reason);
      await this.#more();
    }
  }

  async #fill(length: number): Promise<void> {
    while (this.#buffer.length < length) await this.#more();
  }

  async #more(): Promise<void> {
    if (!(await this.#read())) throw invalid('it ends before its last boundary');
  }

  /** Appends the next chunk; false at the end of the body. */
  async #read(): Promise<boolean> {
    const { done, value } = await this.#source.next();
    if (done) return false;
    this.#buffer = this.#buffer.length === 0 ? value : Buffer.concat([this.#buffer, value]);
    return true;
  }
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09);
}

function invalid(reason: string): ApiError {
  return new ApiError(400, `the multipart body cannot be read: ${reason}`);
}

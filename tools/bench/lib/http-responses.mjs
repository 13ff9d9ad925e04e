const headEnd = Buffer.from('\r\n\r\n');
const lineEnd = Buffer.from('\r\n');

/**
 * Counts the complete HTTP/1.1 responses of one connection. Bodies have a Content-Length or chunks, and are skipped.
 * A response without either is an error, since its end is not known.
 */
export class HttpResponses {
  /** Status of the last response whose head was read. */
  status = 0;
  /** Bytes of bodies, without the framing of chunks. */
  bodyBytes = 0;
  #waiting = Buffer.alloc(0);
  /** Bytes of the body or chunk that are still to come. */
  #skip = 0;
  #state = 'head';

  /**
   * Keeps no reference to the bytes: a reader may use its buffer again.
   * @returns number of responses that end in these bytes @throws Error for a response without a length
   */
  push(bytes) {
    let input = bytes;
    if (this.#waiting.length > 0) {
      input = Buffer.concat([this.#waiting, bytes]);
      this.#waiting = Buffer.alloc(0);
    }
    let done = 0;
    for (let at = 0; ; ) {
      if (this.#skip > 0) {
        const taken = Math.min(this.#skip, input.length - at);
        at += taken;
        this.#skip -= taken;
        if (this.#skip > 0) return done;
      }
      if (this.#state === 'body') {
        this.#state = 'head';
        done++;
      }
      const end = input.indexOf(this.#state === 'head' ? headEnd : lineEnd, at);
      if (end === -1) {
        this.#waiting = Buffer.from(input.subarray(at));
        return done;
      }
      const text = input.toString('latin1', at, end);
      at = end + (this.#state === 'head' ? headEnd.length : lineEnd.length);
      if (this.#read(text)) done++;
    }
  }

  /** Reads a head, the line of a chunk, or a line of the trailer. @returns whether the response ends with it */
  #read(text) {
    if (this.#state === 'head') {
      this.#readHead(text);
      return false;
    }
    if (this.#state === 'trailer') {
      if (text !== '') return false;
      this.#state = 'head';
      return true;
    }
    const length = Number.parseInt(text, 16);
    if (Number.isNaN(length)) throw new Error(`Expected the length of a chunk, not ${JSON.stringify(text)}.`);
    this.bodyBytes += length;
    if (length === 0) this.#state = 'trailer';
    else this.#skip = length + lineEnd.length;
    return false;
  }

  #readHead(text) {
    this.status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
    if (/^transfer-encoding: *chunked/im.test(text)) {
      this.#state = 'chunk';
      return;
    }
    const length = /^content-length: *(\d+)/im.exec(text)?.[1];
    if (length === undefined) throw new Error(`A response has no length: ${text.slice(0, 200)}`);
    this.#state = 'body';
    this.#skip = Number(length);
    this.bodyBytes += this.#skip;
  }
}

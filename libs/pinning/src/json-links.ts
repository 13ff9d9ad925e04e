// Hot path of every walk over dag-json. It finds links without creating values, since decoding a block of 2 MiB can take a
// second. links.spec.ts compares it with the decoder of @ipld/dag-json; links.bench.ts measures both.
import { parseCid } from '@cairn/cid';
import { CidList } from './cid-list.ts';

/** Bounds the memory for open lists and maps. Codecs that create values refuse far lower depths. */
const depthMax = 100_000;
/** Steps between two pauses. A value or key is one step; a link is more, since its text is decoded. */
const stepsPerPause = 2048;
const stepsOfLink = 16;

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a] as const;
const [openMap, closeMap, openList, closeList] = [0x7b, 0x7d, 0x5b, 0x5d] as const;
const [minus, plus, dot, zero, nine] = [0x2d, 0x2b, 0x2e, 0x30, 0x39] as const;
/** Space, tab, carriage return and line feed. */
const isSpace = (byte: number) => byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a;
const isDigit = (byte: number) => byte >= zero && byte <= nine;
const words = ['null', 'true', 'false'].map((word) => Buffer.from(word));
const escapes = new Set(Buffer.from('"\\/bfnrtu'));

/** An open list or map. */
interface Open {
  /** Keys of a map; undefined for a list. */
  readonly keys: Set<string> | undefined;
  hasEntries: boolean;
  /** Position of the text under the key "/", including its quotes. */
  link: Span | undefined;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the CIDs of a DAG-JSON block in the order of its bytes. Accepts the input of go-ipld-prime: also a trailing comma, and
 * `"/"` beside other keys, which is not a link. Numbers and text must be well formed, but are not decoded.
 * @throws Error
 */
export function jsonLinkSteps(block: Uint8Array): Generator<undefined, CidList> {
  return new JsonScan(block).steps();
}

class JsonScan {
  readonly #bytes: Buffer;
  #at = 0;
  readonly #links = new CidList();
  /** Open lists and maps, the outermost first. */
  readonly #open: Open[] = [];
  #steps = 0;

  constructor(block: Uint8Array) {
    this.#bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength);
  }

  *steps(): Generator<undefined, CidList> {
    this.#value(undefined);
    for (let open = this.#open.at(-1); open !== undefined; open = this.#open.at(-1)) {
      if (this.#steps++ >= stepsPerPause) {
        this.#steps = 0;
        yield;
      }
      if (!this.#continues(open)) {
        this.#open.pop();
        this.#close(open);
        continue;
      }
      open.hasEntries = true;
      if (open.keys === undefined) this.#value(undefined);
      else {
        const key = this.#key(open.keys);
        this.#value(key === '/' ? open : undefined);
      }
    }
    while (this.#at < this.#bytes.length) {
      const byte = this.#bytes[this.#at++] ?? 0;
      if (!isSpace(byte) && byte !== 0) throw new Error('unexpected content after end of json object');
    }
    return this.#links;
  }

  /** Skips a scalar or opens a list or map. `linkOf` is the map if this is the value of its key "/". */
  #value(linkOf: Open | undefined): void {
    const next = this.#peek();
    if (next === openMap || next === openList) {
      this.#at++;
      const keys = next === openMap ? new Set<string>() : undefined;
      if (this.#open.push({ keys, hasEntries: false, link: undefined }) > depthMax)
        throw new Error(`it is nested deeper than ${depthMax}`);
    } else if (next === quote) {
      const start = this.#at;
      this.#string();
      if (linkOf) linkOf.link = { start, end: this.#at };
    } else if (next === minus || isDigit(next)) this.#number();
    else this.#word(next);
  }

  /** Ends a list or map. A map whose only entry is "/" with a text is a link. */
  #close({ keys, link }: Open): void {
    if (link === undefined || keys?.size !== 1) return;
    const text: unknown = JSON.parse(this.#bytes.toString('utf8', link.start, link.end));
    this.#links.push(parseCid(text).bytes);
    this.#steps += stepsOfLink;
  }

  /** Reads the comma before the next entry and returns true, or reads the end and returns false. */
  #continues({ keys, hasEntries }: Open): boolean {
    const end = keys === undefined ? closeList : closeMap;
    let next = this.#peek();
    if (hasEntries && next === comma) {
      this.#at++;
      next = this.#peek();
    } else if (hasEntries && next !== end) throw new Error(`expected comma or close at byte ${this.#at}`);
    if (next !== end) return true;
    this.#at++;
    return false;
  }

  #key(keys: Set<string>): string {
    if (this.#peek() !== quote) throw new Error(`expected a key at byte ${this.#at}`);
    const start = this.#at;
    const hasEscapes = this.#string();
    // Keys are compared after resolving escapes.
    const text = hasEscapes
      ? String(JSON.parse(this.#bytes.toString('utf8', start, this.#at)))
      : this.#bytes.toString('utf8', start + 1, this.#at - 1);
    if (keys.has(text)) throw new Error(`repeated map key at byte ${start}`);
    keys.add(text);
    if (this.#peek() !== colon) throw new Error(`expected colon after map key at byte ${this.#at}`);
    this.#at++;
    return text;
  }

  /** Skips a text. Returns true if it has escapes. */
  #string(): boolean {
    let hasEscapes = false;
    for (this.#at++; ; this.#at++) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw new Error('unexpected EOF');
      if (byte === quote) break;
      if (byte < 0x20) throw new Error(`control character in text at byte ${this.#at}`);
      if (byte !== backslash) continue;
      hasEscapes = true;
      const escaped = this.#bytes[++this.#at] ?? 0;
      if (!escapes.has(escaped)) throw new Error(`unknown escape at byte ${this.#at}`);
      if (escaped !== 0x75) continue;
      if (!/^[\da-f]{4}$/i.test(this.#bytes.toString('latin1', this.#at + 1, this.#at + 5)))
        throw new Error(`unknown escape at byte ${this.#at}`);
      this.#at += 4;
    }
    this.#at++;
    return hasEscapes;
  }

  #number(): void {
    if (this.#bytes[this.#at] === minus) this.#at++;
    if (this.#bytes[this.#at] === zero) this.#at++;
    else this.#digits();
    if (this.#bytes[this.#at] === dot) {
      this.#at++;
      this.#digits();
    }
    const exponent = this.#bytes[this.#at];
    if (exponent !== 0x65 && exponent !== 0x45) return;
    const sign = this.#bytes[++this.#at];
    if (sign === minus || sign === plus) this.#at++;
    this.#digits();
  }

  #digits(): void {
    const start = this.#at;
    while (isDigit(this.#bytes[this.#at] ?? 0)) this.#at++;
    if (this.#at === start) throw new Error(`invalid number at byte ${start}`);
  }

  #word(next: number): void {
    for (const word of words) {
      if (word[0] !== next) continue;
      if (word.compare(this.#bytes, this.#at, this.#at + word.length) !== 0) break;
      this.#at += word.length;
      return;
    }
    throw new Error(`invalid start of a value at byte ${this.#at}`);
  }

  /** Skips white space and returns the next byte. @throws Error at the end */
  #peek(): number {
    while (isSpace(this.#bytes[this.#at] ?? 0)) this.#at++;
    const next = this.#bytes[this.#at];
    if (next === undefined) throw new Error('unexpected EOF');
    return next;
  }
}

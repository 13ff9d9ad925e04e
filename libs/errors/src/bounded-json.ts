/** Levels of nesting that are printed. */
const depthMax = 50;

/**
 * JSON text of any value, cut after `charactersMax` characters. For untrusted values in messages and logs: JSON.stringify takes
 * time and memory for the whole value, and throws for deep nesting.
 */
export function boundedJson(value: unknown, charactersMax: number): string {
  const printer = new BoundedPrinter(charactersMax);
  printer.value(value, 0);
  return printer.text().slice(0, charactersMax);
}

class BoundedPrinter {
  readonly #parts: string[] = [];
  #left: number;

  constructor(charactersMax: number) {
    this.#left = charactersMax;
  }

  text(): string {
    return this.#parts.join('');
  }

  value(item: unknown, depth: number): void {
    if (typeof item === 'string') this.#print(this.#quoted(item));
    else if (typeof item !== 'object' || item === null) this.#print(String(item));
    else if (depth >= depthMax) this.#print(Array.isArray(item) ? '[…]' : '{…}');
    else if (Array.isArray(item)) this.#list(item, depth);
    else this.#object(item as Readonly<Record<string, unknown>>, depth);
  }

  #list(items: readonly unknown[], depth: number): void {
    this.#print('[');
    for (let at = 0; at < items.length && this.#left > 0; at++) {
      if (at > 0) this.#print(',');
      this.value(items[at], depth + 1);
    }
    this.#print(']');
  }

  #object(fields: Readonly<Record<string, unknown>>, depth: number): void {
    this.#print('{');
    let separator = '';
    for (const key in fields) {
      if (this.#left <= 0) break;
      if (!Object.hasOwn(fields, key) || fields[key] === undefined) continue;
      this.#print(`${separator}${this.#quoted(key)}:`);
      separator = ',';
      this.value(fields[key], depth + 1);
    }
    this.#print('}');
  }

  #quoted(text: string): string {
    return JSON.stringify(text.slice(0, Math.max(0, this.#left) + 1));
  }

  #print(text: string): void {
    this.#parts.push(text);
    this.#left -= text.length;
  }
}

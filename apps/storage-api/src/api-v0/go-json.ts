const escaped = /[<>&\u2028\u2029]/;

/** Returns JSON with the characters escaped that Go's `encoding/json` escapes. Kubo's output has them so. */
export function goJson(value: unknown): string {
  const json = JSON.stringify(value);
  // Few values have one: a test is cheaper than a replacement.
  if (!escaped.test(json)) return json;
  return json.replace(/[<>&\u2028\u2029]/g, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Results in the cache: all streams read the newest blocks. */
const entriesMax = 8;

/** Shares a read among callers that ask for the same key, and keeps the last results. A failed read is repeated. */
export function withRecent<Key, Value>(read: (key: Key) => Promise<Value>): (key: Key) => Promise<Value> {
  const entries = new Map<Key, Promise<Value>>();
  return (key) => {
    const known = entries.get(key);
    if (known !== undefined) return known;
    const reading = read(key);
    const [oldest] = entries.keys();
    if (entries.size >= entriesMax && oldest !== undefined) entries.delete(oldest);
    entries.set(key, reading);
    reading.catch(() => entries.get(key) === reading && entries.delete(key));
    return reading;
  };
}

// Helpers of the scenarios. They run in pages and on Node.

/** Returns bytes that look like content and are the same on every platform. */
export function patterned(length, seed = 1) {
  const bytes = new Uint8Array(length);
  let state = seed;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

export function digits(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the code and message of the error that a function throws. */
export async function codeOf(work) {
  try {
    await work();
  } catch (error) {
    return [error.code, error.message];
  }
  return 'no error';
}

export async function collect(chunks) {
  const list = [];
  for await (const chunk of chunks) list.push(chunk);
  return list;
}

export async function joined(chunks) {
  return new Uint8Array(await new Blob(await collect(chunks)).arrayBuffer());
}

/** Encodes bigints, which JSON lacks. */
export function plain(value) {
  return JSON.parse(JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}n` : each)));
}

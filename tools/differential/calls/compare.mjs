/** Sends a request and returns its result or error. */
export async function send(url, { method, params }) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = await answer.json();
  return { result, error };
}

/** Overrides that no chain has, such as London without a base fee, crash geth's handler. */
export const crashed = { message: 'method handler crashed', class: 'geth crashes' };

/** geth loops without end on an access list that changes the slots a call reads, which changes the list. */
export const timedOut = { message: 'request timed out', class: 'geth times out' };

/** geth adds the tip to a base fee of 2^256-1. The sum overflows to a price of 0. */
export const overflowed = { baseFee: `0x${'f'.repeat(64)}`, class: 'sum of base fee and tip over 256 bits' };

/** Codes of bad input and of limits: each server words them differently. */
const ownWords = new Set([-32602]);

/**
 * Compares two answers: results as JSON values, errors by code, data and the start of geth's message. Advice may
 * follow.
 * @returns the name of a class of difference, or undefined for equal answers
 */
export function difference({ method, params }, cairn, peer) {
  if (peer.error?.message === crashed.message) return crashed.class;
  if (peer.error?.message === timedOut.message) return timedOut.class;
  const isOverflowed = params.some((param) => param?.baseFeePerGas === overflowed.baseFee);
  if (isOverflowed && cairn.error?.message.includes('less than block base fee')) return overflowed.class;
  if (cairn.error !== undefined && peer.error !== undefined) return errorDifference(method, cairn.error, peer.error);
  if (cairn.error !== undefined) return `${method}: only cairn refuses: ${shape(cairn.error)}`;
  if (peer.error !== undefined) return `${method}: only geth refuses: ${shape(peer.error)}`;
  const at = firstDifference(cairn.result, peer.result, '');
  return at === undefined ? undefined : `${method}: results differ${at}`;
}

function errorDifference(method, cairn, peer) {
  if (cairn.code !== peer.code || cairn.data !== peer.data)
    return `${method}: errors differ: cairn ${shape(cairn)}, geth ${shape(peer)}`;
  if (ownWords.has(peer.code) || cairn.message === peer.message || cairn.message.startsWith(`${peer.message}. `))
    return undefined;
  return `${method}: texts differ: cairn ${shape(cairn)}, geth ${shape(peer)}`;
}

/** Returns an error without the parts that vary between requests. */
function shape({ code, message }) {
  return `${code} ${message.split('. ')[0].replace(/0x[0-9a-fA-F]+|\b[0-9a-f]{64}\b|\b\d+\b/g, '#')}`;
}

/** Returns the path of the first difference of two JSON values. */
function firstDifference(one, other, path) {
  if (one === null || other === null || typeof one !== 'object' || typeof other !== 'object')
    return Object.is(one, other) ? undefined : path;
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  for (const name of names) {
    // Indexes of items do not describe the kind of a difference.
    const at = firstDifference(
      one[name] ?? null,
      other[name] ?? null,
      Array.isArray(one) ? `${path}[]` : `${path}.${name}`,
    );
    if (at !== undefined) return at;
  }
  return undefined;
}

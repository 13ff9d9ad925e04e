// Compares the calls of trace_call with those of geth's flatCallTracer.

const precompiles = new Set(
  [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 0x100].map(
    (at) => `0x${at.toString(16).padStart(40, '0')}`,
  ),
);

/** Parity's words that geth shortens to fewer ones, or leaves in its own. */
const gethWords = {
  'Mutable Call In Static Context': ['Out of gas', 'write protection'],
  'Out of stack': [/^stack limit reached/, 'Out of stack'],
  'Out of gas': [/^max code size exceeded/, /^max initcode size/, 'Out of gas'],
  'Invalid code': [/^invalid code/],
  'Contract address collision': ['contract address collision'],
  'Nonce overflow': ['nonce uint64 overflow'],
  'Insufficient balance for transfer': ['insufficient balance for transfer'],
  'Max call depth exceeded': ['max call depth exceeded'],
  // geth has a text for each failure of a precompile.
  'Built-in failed': [/./],
};

/** Returns the kind of the first difference. */
export function traceDifference(mine, theirs) {
  const [own, other] = [withoutPrecompiles(mine), withoutPrecompiles(theirs)];
  if (own.length !== other.length) return `trace: ${own.length > other.length ? 'more' : 'fewer'} calls`;
  for (const [index, frame] of own.entries()) {
    const kind = frameDifference(frame, other[index], index === 0);
    if (kind !== undefined) return `trace: ${kind}`;
  }
  return undefined;
}

function frameDifference(mine, theirs, isOutermost) {
  if (mine.type !== theirs.type) return 'type';
  for (const name of new Set([...Object.keys(mine.action), ...Object.keys(theirs.action)])) {
    // geth shows the gas of the transaction.
    if (name === 'gas' && isOutermost) continue;
    if (mine.action[name] !== theirs.action[name]) return `${mine.type}: action.${name}`;
  }
  if (mine.path !== theirs.path || mine.children !== theirs.children) return 'place in the tree';
  if (!isSameError(mine.error, theirs.error)) return `error ${mine.error} / ${theirs.error}`;
  if (mine.error !== undefined || mine.type === 'suicide') return undefined;
  for (const name of ['address', 'code', 'output'])
    if ((mine.result[name] ?? '0x') !== (theirs.result[name] ?? '0x')) return `${mine.type}: result.${name}`;
  return isOutermost || mine.result.gasUsed === theirs.result.gasUsed ? undefined : `${mine.type}: result.gasUsed`;
}

function isSameError(mine, theirs) {
  if (mine === undefined || theirs === undefined) return mine === theirs;
  const allowed = gethWords[mine] ?? [mine];
  return allowed.some((word) => (typeof word === 'string' ? word === theirs : word.test(theirs)));
}

/** Leaves out nested calls of precompiles, which the formats treat differently, and numbers the rest again. */
export function withoutPrecompiles(frames) {
  const hidden = ({ traceAddress, type, action }) =>
    traceAddress.length > 0 && type === 'call' && precompiles.has(action.to);
  const kept = frames.filter((frame) => !hidden(frame));
  const paths = new Map([['', '']]);
  const children = new Map();
  for (const { traceAddress } of kept.slice(1)) {
    const above = paths.get(traceAddress.slice(0, -1).join());
    const position = children.get(above) ?? 0;
    children.set(above, position + 1);
    paths.set(traceAddress.join(), `${above}/${position}`);
  }
  return kept.map((frame) => {
    const path = paths.get(frame.traceAddress.join());
    return { ...frame, path, children: children.get(path) ?? 0 };
  });
}

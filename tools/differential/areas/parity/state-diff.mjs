// Compares the stateDiff of trace_call with geth's prestateTracer in diff mode.

const noWord = `0x${'0'.repeat(64)}`;

/** Returns the kind of the first difference. */
export function stateDiffDifference(mine, { pre, post }) {
  const expected = {};
  for (const address of new Set([...Object.keys(pre), ...Object.keys(post)])) {
    const diff = accountDiff(pre[address], post[address]);
    if (diff !== undefined) expected[address] = diff;
  }
  for (const address of new Set([...Object.keys(mine), ...Object.keys(expected)])) {
    const [own, other] = [mine[address], expected[address]];
    // The tracer of geth does not show that an empty account begins or ends to exist.
    if (other === undefined && isEmptyAtBoth(own)) continue;
    if (own === undefined || other === undefined) return `stateDiff: account ${own ? 'only here' : 'only there'}`;
    for (const field of ['balance', 'nonce', 'code', 'storage'])
      if (sorted(own[field]) !== sorted(other[field])) return `stateDiff: ${field} ${marks(own)} / ${marks(other)}`;
  }
  return undefined;
}

const isEmptyAtBoth = ({ balance, nonce, code, storage }) =>
  [balance, nonce, code].every((field) => ['0x0', '0x'].includes(field['+'] ?? field['-'])) &&
  Object.keys(storage).length === 0;

const marks = ({ balance }) => (balance === '=' ? '=' : Object.keys(balance)[0]);
const sorted = (value) =>
  JSON.stringify(typeof value === 'string' ? value : Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
const quantity = (number = 0) => `0x${number.toString(16)}`;

function accountDiff(pre, post) {
  // geth names the code hash 0 of accounts that exist neither before nor after.
  if (pre === undefined && Object.keys(post).every((name) => name === 'codeHash') && post.codeHash === noWord)
    return undefined;
  const fields = { balance: (each) => each.balance, nonce: (each) => each.nonce, code: (each) => each.code };
  const text = (field, each) =>
    field === 'nonce' ? quantity(each.nonce) : (each[field] ?? (field === 'balance' ? '0x0' : '0x'));
  const mark = (make) => Object.fromEntries(Object.keys(fields).map((field) => [field, make(field)]));
  if (post === undefined) return { ...mark((field) => ({ '-': text(field, pre) })), storage: {} };
  if (pre === undefined) {
    const storage = Object.entries(post.storage ?? {}).map(([slot, value]) => [slot, { '+': value }]);
    return { ...mark((field) => ({ '+': text(field, post) })), storage: Object.fromEntries(storage) };
  }
  const changed = (field) =>
    fields[field](post) === undefined ? '=' : { '*': { from: text(field, pre), to: text(field, post) } };
  const slots = new Set([...Object.keys(pre.storage ?? {}), ...Object.keys(post.storage ?? {})]);
  const storage = [...slots].map((slot) => [
    slot,
    { '*': { from: pre.storage?.[slot] ?? noWord, to: post.storage?.[slot] ?? noWord } },
  ]);
  return { ...mark(changed), storage: Object.fromEntries(storage) };
}

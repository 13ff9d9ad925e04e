// Compares the vmTrace of trace_call with the single steps of geth, which show stack, memory and gas before each step.

const ends = new Set(['STOP', 'RETURN', 'REVERT', 'SELFDESTRUCT']);

/** Returns the kind of the first difference. */
export function vmTraceDifference(vmTrace, logs) {
  // geth shows a STOP after the last byte of code, the format does not: STOP is left out on both sides.
  const [mine, theirs] = [[...flat(vmTrace, 1)], [...steps(logs)]].map((all) => all.filter(({ op }) => op !== 'STOP'));
  for (let index = 0; index < Math.max(mine.length, theirs.length); index++) {
    const [own, other] = [mine[index], theirs[index]];
    if (own === undefined || other === undefined)
      return `vmTrace: ${own === undefined ? 'missing' : 'extra'} ${(own ?? other).op}`;
    const kind = stepDifference(own, other);
    if (kind !== undefined) return `vmTrace: ${own.op} ${kind}`;
  }
  return undefined;
}

function* flat({ code, ops }, depth) {
  for (const step of ops) {
    yield { ...step, depth, codeLength: (code.length - 2) / 2 };
    if (step.sub !== null) yield* flat(step.sub, depth + 1);
  }
}

/** Steps that the format shows, with the step that follows in the same frame. */
function* steps(logs) {
  for (const [index, log] of logs.entries()) {
    if (/^stack /.test(log.error ?? '')) continue;
    let at = index + 1;
    while (at < logs.length && logs[at].depth > log.depth) at++;
    const next = logs[at]?.depth === log.depth ? logs[at] : undefined;
    // An opcode that the fork lacks costs nothing, and ends its frame.
    if (next === undefined && log.gasCost === 0 && log.error === undefined && !ends.has(log.op)) continue;
    yield { ...log, next };
  }
}

function stepDifference(own, other) {
  if (own.pc !== other.pc || own.depth !== other.depth || own.op !== other.op) return `is ${other.op} there`;
  if (own.ex === null)
    return other.error === undefined && other.next !== undefined ? 'has failed here only' : undefined;
  if (other.error !== undefined) return 'has failed there only';
  if (!own.op.startsWith('CREATE') && own.cost !== other.gasCost) return 'cost';
  const { next } = other;
  if (next === undefined) return ends.has(own.op) && own.ex.used === other.gas - other.gasCost ? undefined : 'end';
  if (own.ex.used !== next.gas) return 'used';
  const { push, mem, store } = own.ex;
  if (push.some((word, index) => word !== next.stack.at(index - push.length))) return 'push';
  const inputs = own.op.startsWith('DUP') || own.op.startsWith('SWAP') ? push.length : undefined;
  if (inputs === undefined && push.length > 1) return 'number of pushed words';
  if (mem !== null) {
    const memory = next.memory?.map((word) => word.slice(2)).join('') ?? '';
    if (mem.data.slice(2) !== memory.slice(2 * mem.off, 2 * mem.off + mem.data.length - 2)) return 'mem';
  }
  const [value, key] = other.stack.slice(-2);
  if (own.op === 'SSTORE') return store?.key === key && store.val === value ? undefined : 'store';
  return store === null ? undefined : 'has a slot';
}

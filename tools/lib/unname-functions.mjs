// Names of functions in bundles: the rows debug_traceTransaction of tools/bench/peers.mjs took a tenth more CPU time with them.
import jsTokens from 'js-tokens';

const expression = '/* @__PURE__ */ __name(';
const statement = /^[ \t]*__name\(([\w$]+), "([^"]*)"\);\n/gm;

/**
 * Removes the calls by which esbuild keeps names (`keepNames`), except those of classes: a function within a function would
 * otherwise define its name each time that it is created. A name that begins with a capital letter may be that of an older form of
 * class.
 */
export function unnameFunctions(code) {
  return unnamedExpressions(code).replace(statement, (call, identifier, name) =>
    identifier !== name && mayBeClass(name) ? call : '',
  );
}

const mayBeClass = (name) => /^[A-Z]/.test(name);

/** Replaces each `__name(function, "name")` by its function. */
function unnamedExpressions(code) {
  const removed = [];
  for (let at = code.indexOf(expression); at !== -1; at = code.indexOf(expression, at + 1)) {
    const start = at + expression.length;
    const name = nameAt(code, start);
    if (!mayBeClass(name.text)) removed.push([at, start], [name.start, name.end]);
  }
  removed.sort(([a], [b]) => a - b);
  let end = 0;
  const kept = removed.map(([from, to]) => {
    const piece = code.slice(end, from);
    end = to;
    return piece;
  });
  return kept.join('') + code.slice(end);
}

/** Returns the argument `, "name")` behind the function that begins at `start`. @throws Error if the call has another form */
function nameAt(code, start) {
  let at = start;
  let depth = 0;
  for (const { value } of jsTokens(code.slice(start))) {
    if (depth === 0 && value === ',') break;
    if (value === '(' || value === '[' || value === '{') depth++;
    else if (value === ')' || value === ']' || value === '}') depth--;
    at += value.length;
  }
  const [argument, text] = /^, "([^"]*)"\)/.exec(code.slice(at, at + 200)) ?? [];
  if (text === undefined)
    throw new Error(`${code.slice(start, start + 60)} has no name: the form of esbuild has changed.`);
  return { text, start: at, end: at + argument.length };
}

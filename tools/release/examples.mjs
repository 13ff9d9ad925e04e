// Runs the examples of READMEs as programs.
import { readFileSync } from 'node:fs';
import { transformSync } from '@swc/core';

/**
 * Returns the ```ts blocks of a README in order. `kind` is `program`, or `jest` for fences marked so, which run under
 * Jest. Throws for any other fence, so that no example is skipped.
 * @param heading limits them to one section
 */
export function examplesOf(file, { heading } = {}) {
  const whole = readFileSync(file, 'utf8');
  const text =
    heading === undefined ? whole : (whole.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '');
  return [...text.matchAll(/^```(?:ts|js)((?: [^\n]*)?)\n([\s\S]*?)^```$/gm)].map(([, said, code]) => {
    const kind = said.trim() || 'program';
    if (kind !== 'program' && kind !== 'jest') throw new Error(`${file}: unsupported fence ${JSON.stringify(said)}.`);
    return { kind, code };
  });
}

/** Returns the program without its types, as an ES module. */
export function esmFrom(code) {
  const options = { syntax: 'typescript', decorators: true };
  return transformSync(code, {
    jsc: { parser: options, target: 'es2022', transform: { legacyDecorator: true, decoratorMetadata: true } },
    module: { type: 'es6' },
  }).code;
}

/** Returns the same as CommonJS: imports become `require`, and top-level `await` runs in an async function. */
export function cjsFrom(code) {
  const heads = [];
  const body = esmFrom(code)
    .replace(/^import (.+?) from ['"](.+?)['"];$/gm, (_, names, from) => {
      heads.push(`const ${names.replace(/ as /g, ': ')} = require('${from}');`);
      return '';
    })
    .replace(/^import ['"](.+?)['"];$/gm, (_, from) => {
      heads.push(`require('${from}');`);
      return '';
    })
    .replaceAll('import.meta.resolve(', "((name) => require('node:url').pathToFileURL(require.resolve(name)).href)(");
  return `${heads.join('\n')}\n(async () => {\n${body}\n})();\n`;
}

import type { AnyMethod, ParamDefinition } from './method.ts';
import { rpcErrors } from './rpc-error.ts';

/** Methods under one heading. */
export interface MethodGroup<Context> {
  readonly title: string;
  readonly methods: readonly AnyMethod<Context>[];
}

/** Renders methods and errors as a Markdown page. */
export function methodsMarkdown<Context>(groups: readonly MethodGroup<Context>[]): string {
  const sections = groups.map(({ title, methods }) =>
    [`## ${title}`, ...methods.map((method) => methodSection(method))].join('\n\n'),
  );
  return `${[...sections, errorsSection()].join('\n\n')}\n`;
}

function methodSection<Context>(method: AnyMethod<Context>): string {
  const { name, summary, params, result, errors = [], cost = 1, surcharge, notes = [] } = method;
  const lines = [`### ${name}`, '', summary, ''];
  for (const [index, param] of params.entries()) lines.push(`${index + 1}. ${paramLine(param)}`);
  if (params.length > 0) lines.push('');
  const codes = errors.map((error) => rpcErrors[error].code).join(', ');
  lines.push(
    `Returns: ${result} Cost: ${cost}${surcharge === undefined ? '' : `, ${surcharge}`}.${codes && ` Errors: ${codes}.`}`,
  );
  for (const note of notes) lines.push('', note);
  return lines.join('\n');
}

function paramLine({ name, summary, isRequired = true }: ParamDefinition): string {
  return `\`${name}\`${isRequired ? '' : ' (optional)'}: ${summary}`;
}

function errorsSection(): string {
  const rows = Object.values(rpcErrors).map(({ code, meaning, remedy }) => `| ${code} | ${meaning} | ${remedy} |`);
  return ['## Errors', '', '| code | meaning | remedy |', '| --- | --- | --- |', ...rows].join('\n');
}

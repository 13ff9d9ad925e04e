import { errorText, isCairnError } from '@cairn/errors';
import type { AnyMethod } from './method.ts';
import { RpcError } from './rpc-error.ts';

/**
 * Reads the parameters of a request by position or by name.
 * @throws RpcError `params` naming the parameter, what it takes and what came
 */
export function bindParams<Context>(
  method: AnyMethod<Context>,
  given: readonly unknown[] | Readonly<Record<string, unknown>>,
): readonly unknown[] {
  const { params } = method;
  const values = Array.isArray(given) ? given : byName(method, given as Readonly<Record<string, unknown>>);
  if (values.length > params.length) {
    throw new RpcError(
      'params',
      `${method.name} takes ${params.length} ${params.length === 1 ? 'parameter' : 'parameters'}, not ${values.length}.`,
    );
  }
  return params.map(({ name, summary, isRequired = true, parse }, index) => {
    const value: unknown = values[index];
    if (value === undefined || (value === null && !isRequired)) {
      if (!isRequired) return undefined;
      throw new RpcError('params', `Parameter ${index + 1}, ${name}, is missing: ${summary}`);
    }
    try {
      return parse(`parameter ${index + 1}, ${name}`, value);
    } catch (error) {
      if (isCairnError(error, 'VALUE_INVALID')) throw new RpcError('params', errorText(error));
      throw error;
    }
  });
}

function byName<Context>(
  { name: method, params }: AnyMethod<Context>,
  given: Readonly<Record<string, unknown>>,
): unknown[] {
  const unknown = Object.keys(given).find((key) => !params.some(({ name }) => name === key));
  if (unknown !== undefined) {
    const names = params.map(({ name }) => name).join(', ') || 'none';
    throw new RpcError(
      'params',
      `${method} has no parameter ${JSON.stringify(unknown.slice(0, 64))}; it takes ${names}.`,
    );
  }
  return params.map(({ name }) => given[name]);
}

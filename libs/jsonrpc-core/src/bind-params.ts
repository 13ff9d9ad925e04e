import { type CairnError, errorText, isCairnError } from '@cairn/errors';
import type { AnyMethod } from './method.ts';
import { RpcError } from './rpc-error.ts';

/**
 * Reads the parameters of a request by position or by name, in the order and in the words of geth: a bad value is
 * reported before a missing one behind it, and both before values that are too many.
 * @throws RpcError `params` naming the parameter, what it takes and what came
 */
export function bindParams<Context>(method: AnyMethod<Context>, given: unknown): readonly unknown[] {
  const { params } = method;
  const values: readonly unknown[] = Array.isArray(given) ? given : byName(method, given);
  const bound = params.map(({ name, summary, isRequired = true, parsesAbsent = false, parse }, index) => {
    const value: unknown = values[index];
    if (!parsesAbsent && (value === undefined || (value === null && !isRequired))) {
      if (!isRequired) return undefined;
      throw new RpcError(
        'params',
        `missing value for required argument ${index}. Parameter ${index + 1}, ${name}, is ${summary}`,
      );
    }
    try {
      return parse(`parameter ${index + 1}, ${name}`, value);
    } catch (error) {
      throw isCairnError(error, 'VALUE_INVALID') ? invalidArgument(index, error) : error;
    }
  });
  if (values.length > params.length) {
    const names = params.map(({ name }) => name).join(', ');
    throw new RpcError(
      'params',
      `too many arguments, want at most ${params.length}. ${method.name} takes ${names || 'no parameters'}.`,
    );
  }
  return bound;
}

/** The error of a parameter whose value a parser refuses: geth's words, then what the parser says. */
export function invalidArgument(index: number, error: CairnError): RpcError {
  return new RpcError('params', `invalid argument ${index}: ${withReason(error)}`);
}

/** The text of an error, after its reason in the words of geth where it has one. */
function withReason(error: CairnError): string {
  const text = errorText(error);
  const { reason } = error.details;
  return typeof reason === 'string' ? `${reason}. ${text.charAt(0).toUpperCase()}${text.slice(1)}` : text;
}

function byName<Context>({ name: method, params }: AnyMethod<Context>, given: unknown): unknown[] {
  if (given === undefined || given === null) return [];
  if (typeof given !== 'object')
    throw new RpcError('params', 'non-array args. Send params as a list, or as an object by name.');
  const values: Readonly<Record<string, unknown>> = { ...given };
  const unknown = Object.keys(values).find((key) => !params.some(({ name }) => name === key));
  if (unknown !== undefined) {
    const names = params.map(({ name }) => name).join(', ') || 'none';
    throw new RpcError('params', `unknown argument ${JSON.stringify(unknown.slice(0, 64))}. ${method} takes ${names}.`);
  }
  return params.map(({ name }) => values[name]);
}

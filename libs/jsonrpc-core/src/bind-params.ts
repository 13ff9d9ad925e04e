import { type CairnError, errorText, isCairnError } from '@cairn/errors';
import type { AnyMethod } from './method.ts';
import { RpcError } from './rpc-error.ts';

/**
 * Parses the parameters of a request, given by position or by name. Errors have geth's order and text: an invalid value is reported
 * before a later missing one, and both before excess values.
 * @throws RpcError `params` with the name of the parameter, the expected form and the given value
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

/** The error for a parameter that its parser refuses: geth's text, then that of the parser. */
export function invalidArgument(index: number, error: CairnError): RpcError {
  return new RpcError('params', `invalid argument ${index}: ${withReason(error)}`);
}

/** Text of an error, preceded by geth's reason if the error has one. */
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

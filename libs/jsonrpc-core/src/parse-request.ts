import { RpcError } from './rpc-error.ts';

/** JSON text of an id in the answer: `1`, `"a"` or `null`. */
type IdText = string;

/** One request of a body, or its error. */
export type ParsedRequest =
  | {
      readonly id: IdText | undefined;
      readonly method: string;
      /** Not validated yet: a wrong type is an error of the method. */
      readonly params: unknown;
    }
  | { readonly id: IdText; readonly error: RpcError };

const shape = '{"jsonrpc":"2.0","id":…,"method":"…","params":[…]}';
/** Maximum length of a method name in characters, as in geth. */
const methodCharactersMax = 2048;
const idCharactersMax = 256;

/**
 * Parses one member of a body as a request (JSON-RPC 2.0, section 4). `id` is `undefined` for a notification.
 * @param numberText returns the id as written in the body; called only for numbers that a double may not represent
 */
export function parseRequest(value: unknown, numberText: () => string | undefined): ParsedRequest {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { id: 'null', error: invalid(`Send an object such as ${shape}.`) };
  const { jsonrpc, method, params, id } = value as Readonly<Record<string, unknown>>;
  const idText = textOf(id, numberText);
  if (idText === null)
    return {
      id: 'null',
      error: invalid(
        `The id must be a number, a string of at most ${idCharactersMax} characters, true, false or null.`,
      ),
    };
  const refuse = (error: RpcError) => ({ id: idText ?? 'null', error });
  if (jsonrpc !== '2.0') return refuse(invalid('The member jsonrpc must be "2.0".'));
  if (typeof method !== 'string' || method === '') return refuse(invalid('The member method must be a name.'));
  if (method.length > methodCharactersMax)
    return refuse(new RpcError('request', `method name too long: ${method.length} > ${methodCharactersMax}`));
  return { id: idText, method, params };
}

/** An error that starts with geth's text. */
function invalid(advice: string): RpcError {
  return new RpcError('request', `invalid request. ${advice}`);
}

/** Serializes an id: `undefined` for none, `null` for an invalid one. */
function textOf(id: unknown, numberText: () => string | undefined): IdText | undefined | null {
  if (id === undefined) return undefined;
  // JSON-RPC 2.0 does not allow booleans as ids; geth accepts and returns them.
  if (id === null || typeof id === 'boolean') return String(id);
  if (typeof id === 'number') {
    if (Number.isSafeInteger(id)) return String(id);
    const text = numberText();
    return text !== undefined && text.length <= idCharactersMax ? text : null;
  }
  return typeof id === 'string' && id.length <= idCharactersMax ? JSON.stringify(id) : null;
}

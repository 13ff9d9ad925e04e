import { RpcError } from './rpc-error.ts';

/** The text of an id as it goes back: `1`, `"a"` or `null`. */
type IdText = string;

/** One request of a body, or what is wrong with it. */
export type ParsedRequest =
  | {
      readonly id: IdText | undefined;
      readonly method: string;
      /** Any value: a wrong kind is an error of the method. */
      readonly params: unknown;
    }
  | { readonly id: IdText; readonly error: RpcError };

const shape = '{"jsonrpc":"2.0","id":…,"method":"…","params":[…]}';
/** Longest name of a method, as in geth. */
const methodCharactersMax = 2048;
const idCharactersMax = 256;

/**
 * Reads one member of a body as a request (JSON-RPC 2.0, section 4). `id` is `undefined` for a notification.
 * @param numberText the id as the body has it, asked for only where a double may not hold it
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
        `The id has to be a number, a text of at most ${idCharactersMax} characters, true, false or null.`,
      ),
    };
  const refuse = (error: RpcError) => ({ id: idText ?? 'null', error });
  if (jsonrpc !== '2.0') return refuse(invalid('The member jsonrpc has to be "2.0".'));
  if (typeof method !== 'string' || method === '') return refuse(invalid('The member method has to be a name.'));
  if (method.length > methodCharactersMax)
    return refuse(new RpcError('request', `method name too long: ${method.length} > ${methodCharactersMax}`));
  return { id: idText, method, params };
}

/** An error that begins with the words of geth. */
function invalid(advice: string): RpcError {
  return new RpcError('request', `invalid request. ${advice}`);
}

/** `undefined` where there is no id, `null` where it is no valid one. */
function textOf(id: unknown, numberText: () => string | undefined): IdText | undefined | null {
  if (id === undefined) return undefined;
  // JSON-RPC 2.0 has no true and false as ids; geth returns them as they came.
  if (id === null || typeof id === 'boolean') return String(id);
  if (typeof id === 'number') {
    if (Number.isSafeInteger(id)) return JSON.stringify(id);
    const text = numberText();
    return text !== undefined && text.length <= idCharactersMax ? text : null;
  }
  return typeof id === 'string' && id.length <= idCharactersMax ? JSON.stringify(id) : null;
}

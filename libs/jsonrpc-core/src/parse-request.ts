import { RpcError } from './rpc-error.ts';

/** The text of an id as it goes back: `1`, `"a"` or `null`. */
type IdText = string;

/** One request of a body, or what is wrong with it. */
export type ParsedRequest =
  | {
      readonly id: IdText | undefined;
      readonly method: string;
      readonly params: readonly unknown[] | Readonly<Record<string, unknown>>;
    }
  | { readonly id: IdText; readonly error: RpcError };

const shape = 'expected {"jsonrpc":"2.0","id":…,"method":"…","params":[…]}';
const methodCharactersMax = 128;
const idCharactersMax = 256;

/**
 * Reads one member of a body as a request (JSON-RPC 2.0, section 4). `id` is `undefined` for a notification.
 * @param numberText the id as the body has it, asked for only where a double may not hold it
 */
export function parseRequest(value: unknown, numberText: () => string | undefined): ParsedRequest {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { id: 'null', error: new RpcError('request', `Not a request: ${shape}.`) };
  const { jsonrpc, method, params, id } = value as Readonly<Record<string, unknown>>;
  const idText = textOf(id, numberText);
  if (idText === null)
    return {
      id: 'null',
      error: new RpcError(
        'request',
        `id: expected a number or a text of at most ${idCharactersMax} characters, or null.`,
      ),
    };
  const refuse = (message: string) => ({ id: idText ?? 'null', error: new RpcError('request', message) });
  if (jsonrpc !== '2.0') return refuse('jsonrpc: expected "2.0".');
  if (typeof method !== 'string' || method === '' || method.length > methodCharactersMax)
    return refuse(`method: expected a name of at most ${methodCharactersMax} characters.`);
  if (params !== undefined && params !== null && typeof params !== 'object')
    return refuse('params: expected a list or an object.');
  return { id: idText, method, params: (params ?? []) as readonly unknown[] | Readonly<Record<string, unknown>> };
}

/** `undefined` where there is no id, `null` where it is no valid one. */
function textOf(id: unknown, numberText: () => string | undefined): IdText | undefined | null {
  if (id === undefined) return undefined;
  if (id === null) return 'null';
  if (typeof id === 'number') {
    if (Number.isSafeInteger(id)) return JSON.stringify(id);
    const text = numberText();
    return text !== undefined && text.length <= idCharactersMax ? text : null;
  }
  return typeof id === 'string' && id.length <= idCharactersMax ? JSON.stringify(id) : null;
}

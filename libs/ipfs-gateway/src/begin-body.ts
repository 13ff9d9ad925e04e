import type { GatewayResponse } from './gateway-types.ts';

/**
 * Reads the first bytes of a body before its status is sent. A missing block then has a status of its own, where a transport
 * could only close the connection.
 */
export async function beginBody(response: GatewayResponse): Promise<GatewayResponse> {
  if (response.body === undefined) return response;
  const source = response.body[Symbol.asyncIterator]();
  const begun = continued(await source.next(), source);
  return { ...response, body: { [Symbol.asyncIterator]: () => begun } };
}

/** Gives the first bytes away once. Not a generator: one that is suspended would keep them in memory. */
function continued(first: IteratorResult<Uint8Array>, source: AsyncIterator<Uint8Array>): AsyncIterator<Uint8Array> {
  let unread: IteratorResult<Uint8Array> | undefined = first;
  return {
    next: async () => {
      const given = unread;
      unread = undefined;
      return given ?? (await source.next());
    },
    return: async () => {
      unread = undefined;
      await source.return?.();
      return { done: true, value: undefined };
    },
  };
}

import type { ServerResponse } from 'node:http';

/** Signal that aborts when the client closes the connection. */
export function closeSignal(response: ServerResponse): AbortSignal {
  const ended = new AbortController();
  const end = () => ended.abort(new Error('the client closed the connection'));
  if (response.destroyed) end();
  else response.once('close', end);
  return ended.signal;
}

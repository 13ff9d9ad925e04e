import { RpcError } from './rpc-error.ts';

/**
 * Looks through a body before it is parsed: `JSON.parse` recurses with the depth and builds whatever it is given.
 * @throws RpcError `limit` when brackets nest deeper than `depthMax`
 */
export function checkDepth(text: string, depthMax: number): void {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (isText) {
      if (code === 0x5c) at++;
      else if (code === 0x22) isText = false;
    } else if (code === 0x22) isText = true;
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > depthMax)
        throw new RpcError('limit', `The request nests deeper than ${depthMax} levels.`, { limit: 'depth', depthMax });
    } else if (code === 0x5d || code === 0x7d) depth--;
  }
}

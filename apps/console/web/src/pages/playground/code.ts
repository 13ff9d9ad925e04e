import type { SnippetText } from '../../connect/snippets.ts';

/**
 * The same call in four clients.
 * @param url JSON-RPC address with the key
 */
export function codeOf(url: string, method: string, params: readonly unknown[]): readonly SnippetText[] {
  const list = JSON.stringify(params);
  const shown = JSON.stringify(params, undefined, 2);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return [
    {
      name: 'curl',
      code: `curl ${url} -H 'content-type: application/json' \\\n  -d '${body.replaceAll("'", String.raw`'\''`)}'`,
    },
    {
      name: 'viem',
      code: `import { createPublicClient, http } from 'viem';

const client = createPublicClient({ transport: http('${url}') });
console.log(await client.request({ method: '${method}', params: ${shown} }));`,
    },
    {
      name: 'ethers',
      code: `import { JsonRpcProvider } from 'ethers';

const provider = new JsonRpcProvider('${url}');
console.log(await provider.send('${method}', ${list}));`,
    },
    {
      name: 'web3.js',
      code: `import { Web3 } from 'web3';

const web3 = new Web3('${url}');
console.log(await web3.provider.request({ method: '${method}', params: ${list} }));`,
    },
  ];
}

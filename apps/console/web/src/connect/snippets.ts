import type { Me } from '../api.ts';
import { networkUrl } from './endpoints.ts';

/** Example code in one client or language. */
export interface SnippetText {
  readonly name: string;
  readonly code: string;
}

/** Example code for a key: one text for each client, with the addresses of this service. */
export function snippetsOf(
  me: Pick<Me, 'services' | 'networks'>,
  { key, secret, network }: { readonly key: string; readonly secret: string; readonly network: string },
): readonly SnippetText[] {
  const { storageUrl: storage } = me.services;
  const rpcUrl = `${networkUrl(me, network)}/v3/${key}`;
  return [
    {
      name: 'curl',
      code: `# Add a file, read it back
curl -u '${key}:${secret}' -F file=@photo.jpg ${storage}/api/v0/add
curl -u '${key}:${secret}' -X POST '${storage}/api/v0/cat?arg=<CID>' -o photo.jpg

# Read the newest block of ${network}
curl ${rpcUrl} -H 'content-type: application/json' \\
  -d '{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["latest",false]}'`,
    },
    {
      name: 'kubo-rpc-client',
      code: `import { create } from 'kubo-rpc-client';

const authorization = 'Basic ' + Buffer.from('${key}:${secret}').toString('base64');
const ipfs = create({ url: '${storage}/api/v0', headers: { authorization } });
const { cid } = await ipfs.add('hello cairn');`,
    },
    {
      name: 'viem',
      code: `import { createPublicClient, http } from 'viem';

const client = createPublicClient({ transport: http('${rpcUrl}') });
console.log(await client.getBlockNumber());`,
    },
    {
      name: 'ethers',
      code: `import { JsonRpcProvider } from 'ethers';

const provider = new JsonRpcProvider('${rpcUrl}');
console.log(await provider.getBlockNumber());`,
    },
    {
      name: 'web3.js',
      code: `import { Web3 } from 'web3';

const web3 = new Web3('${rpcUrl}');
console.log(await web3.eth.getBlockNumber());`,
    },
    {
      name: 'web3.py',
      code: `from web3 import Web3

web3 = Web3(Web3.HTTPProvider('${rpcUrl}'))
print(web3.eth.block_number)`,
    },
  ];
}

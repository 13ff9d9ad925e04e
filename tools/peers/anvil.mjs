import { freePort, startServer } from './process.mjs';

/** Version of the Rust node that execution is compared with, from its npm package. */
export const version = '1.7.1';

/**
 * Starts anvil on the accounts of a genesis file.
 * @param {{ genesis: string, hardfork?: string }} chain path of the file; rules of all blocks (default `osaka`)
 * @returns its URL and `stop`
 * @throws Error where the npm registry is out of reach
 */
export async function startAnvil({ genesis, hardfork = 'osaka' }) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const options = ['--silent', '--port', String(port), '--init', genesis, '--hardfork', hardfork];
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}';
  const headers = { 'content-type': 'application/json' };
  const { stop, output } = await startServer({
    name: 'anvil',
    isGroup: true,
    command: 'npx',
    args: ['--yes', `@foundry-rs/anvil@${version}`, ...options],
    isReady: async () => (await fetch(url, { method: 'POST', headers, body })).ok,
  });
  return { url, output, stop };
}

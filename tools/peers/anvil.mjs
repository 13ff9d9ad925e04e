import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { freePort } from './free-port.mjs';
import { startServer } from './process.mjs';

/** Version of the Rust node that execution is compared with, from its npm package. */
export const version = '1.7.1';

/**
 * Starts anvil on the accounts of a genesis file, or as a fork of the chain of a node.
 * @param {{ genesis?: string, forkUrl?: string, hardfork?: string }} chain path of the file, or URL of the node; rules of all blocks (default `osaka`)
 * @returns its URL and `stop`
 * @throws Error where the npm registry is out of reach
 */
export async function startAnvil({ genesis, forkUrl, hardfork = 'osaka' }) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const options = ['--silent', '--port', String(port), '--hardfork', hardfork];
  if (genesis !== undefined) options.push('--init', genesis);
  if (forkUrl !== undefined) options.push('--fork-url', forkUrl, '--no-storage-caching');
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

let castPath;

/** Runs a command of cast, the client of the same project. @returns its output @throws Error with its message, and after a minute */
export async function runCast(...args) {
  const run = promisify(execFile);
  const options = { timeout: 60_000 };
  // npx takes seconds for each start, so it resolves the path of the program once.
  castPath ??= run('npm', ['exec', '--yes', `--package=@foundry-rs/cast@${version}`, '-c', 'command -v cast'], options);
  const { stdout } = await run((await castPath).stdout.trim(), args, options);
  return stdout.trim();
}

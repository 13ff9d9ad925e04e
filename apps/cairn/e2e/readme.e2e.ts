import { type ChildProcess, execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../../../tools/peers/free-port.mjs';
import { Cairn, outcomeOf } from './cairn.ts';

const sh = promisify(execFile);
const fileAt = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const readme = readFileSync(fileAt('README.md'), 'utf8');
const sample = JSON.parse(readFileSync(fileAt('tools/sample-network/network/contracts.json'), 'utf8')) as {
  readonly accounts: { readonly alice: string };
  readonly contracts: { readonly Token: { readonly address: string; readonly abi: readonly object[] } };
};

/** Ports in the README, and the setting of each. */
const ports = { 5001: 'STORAGE_API_PORT', 8545: 'RPC_GATEWAY_PORT', 8080: 'CONSOLE_PORT', 8081: 'IPFS_GATEWAY_PORT' };
const given = new Map<string, number>();
let cairn: Cairn;
let running: ChildProcess;
let ended: ReturnType<typeof outcomeOf>;
let account: string;
let key: string;
let secret: string;

/** Code blocks of one language in a section of the README, with the ports of this test. */
function blocks(section: string, language: string): string[] {
  const from = readme.indexOf(`\n## ${section}\n`);
  const text = readme.slice(from, readme.indexOf('\n## ', from + 1));
  const found = [...text.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, code = '']) => code);
  return found.map((code) => code.replace(/127\.0\.0\.1:(\d+)/g, (_, port: string) => `127.0.0.1:${given.get(port)}`));
}

/** Runs a shell command as a person who has pasted the key. */
async function paste(command: string): Promise<string> {
  const env = { ...process.env, KEY: key, SECRET: secret };
  return (await sh('sh', ['-ec', command], { cwd: cairn.home, env })).stdout;
}

/** Runs an example as a module of a package that has the client. `before` and `after` stand around it. */
async function program(directory: string, before: string, code: string, after: string): Promise<string> {
  const imports = code.split('\n').filter((line) => line.startsWith('import '));
  const rest = code.split('\n').filter((line) => !line.startsWith('import '));
  const source = [...imports, before, ...rest, after].join('\n');
  const env = { ...process.env, KEY: key, SECRET: secret };
  const options = { cwd: fileAt(directory), env, timeout: 60_000 };
  return (await sh(process.execPath, ['--no-warnings', '--input-type=module', '-e', source], options)).stdout;
}

beforeAll(async () => {
  cairn = new Cairn();
  for (const [port] of Object.entries(ports)) given.set(port, await freePort());
  const settings = Object.entries(ports).map(([port, name]) => [name, String(given.get(port))]);
  running = cairn.spawn(['up'], { ...Object.fromEntries(settings), CAIRN_IPFS_PEER: 'off' });
  ended = outcomeOf(running);
  let printed = '';
  await new Promise<void>((resolve, reject) => {
    running.stdout?.on('data', (text: string) => {
      printed += text;
      if (printed.includes('Ctrl-C stops')) resolve();
    });
    void ended.then(({ stderr }) => reject(new Error(`up ended: ${stderr}`)));
  });
  key = /API key +(\S+)/.exec(printed)?.[1] ?? '';
  secret = /Secret +(cs_\w+)/.exec(printed)?.[1] ?? '';
  [{ name: account }] = await cairn.json<[{ name: string }]>('account', 'list');
  expect([key, secret]).toEqual([expect.stringMatching(/^\S{5,}$/), expect.stringMatching(/^cs_/)]);
});
afterAll(async () => {
  running.kill('SIGINT');
  await ended;
  cairn.remove();
});

test('the commands of Storage add, read and unpin a file', async () => {
  const [commands = '', gateway = ''] = blocks('Storage', 'sh');
  const lines = commands.split('\n').filter((line) => line.startsWith('curl'));
  expect(lines).toHaveLength(3);
  const photo = Buffer.from('not quite a photo');
  writeFileSync(join(cairn.home, 'photo.jpg'), photo);
  const [add = '', cat = '', unpin = ''] = lines;
  const added = JSON.parse(await paste(add)) as { readonly Name: string; readonly Hash: string };
  // The README shows the same fields.
  const shown = commands.split('\n').find((line) => line.startsWith('# {')) ?? '';
  expect(Object.keys(added)).toEqual(Object.keys(JSON.parse(shown.slice(2))));
  const named = (command: string) => command.replaceAll('Qm…', added.Hash);
  writeFileSync(join(cairn.home, 'photo.jpg'), 'lost');
  await paste(named(cat));
  expect(readFileSync(join(cairn.home, 'photo.jpg'))).toEqual(photo);
  expect(await paste(named(gateway))).toBe(photo.toString());
  expect(JSON.parse(await paste(named(unpin)))).toEqual({ Pins: [added.Hash] });
});

test('the program of Storage adds a text', async () => {
  const [code = ''] = blocks('Storage', 'ts');
  const printed = await program('apps/storage-api', '', code, 'console.log(String(cid));');
  expect(printed.trim()).toMatch(/^Qm\w{44}$/);
});

test('the command of JSON-RPC reads a block', async () => {
  const [command = ''] = blocks('JSON-RPC', 'sh');
  expect(JSON.parse(await paste(command))).toMatchObject({ id: 1, result: { number: expect.stringMatching(/^0x/) } });
});

test.each([
  ['viem', 0, 'account, address, holder'],
  ['ethers', 1, 'account, address, holder, abi, key'],
  ['web3', 2, 'account, address, holder, abi, key'],
])('the program for %s reads a balance', async (_, index, names) => {
  const code = blocks('JSON-RPC', 'ts')[index] ?? '';
  // The last statement is the call: its result is printed.
  const call = code.trimEnd().split('\n').at(-1) ?? '';
  const shown = code.replace(call, `console.log(String(${call.replace(/;$/, '')}));`);
  const { address, abi } = sample.contracts.Token;
  const { alice: holder } = sample.accounts;
  const values = JSON.stringify({ account: holder, address, holder, abi, key });
  const printed = await program('apps/rpc-gateway', `const { ${names} } = ${values};`, shown, 'process.exit(0);');
  expect(BigInt(printed.trim())).toBeGreaterThan(0n);
});

test('the account of the key has the usage of this hour', async () => {
  const { total } = await cairn.json<{ total: { requests: number } }>('account', 'statement', account);
  expect(total.requests).toBeGreaterThan(5);
});

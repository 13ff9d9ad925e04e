// `npm run dev` on a copy of the repository, because it edits sources. Dependencies are links to those of the original.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { root } from '../../lib/toolchain.mjs';
import { freePort } from '../../peers/free-port.mjs';

const work = mkdtempSync(join(tmpdir(), 'cairn-dev-'));
const copy = join(work, 'repository');
let child;
after(() => {
  child?.kill('SIGKILL');
  rmSync(work, { recursive: true, force: true });
});

/** Copies sources and builds. Links between packages are relative and point into the copy. */
async function copyRepository() {
  const skipped = ['.git', '.nx', '.cairn', 'node_modules', 'docs/dist'];
  cpSync(root, copy, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) =>
      !skipped.includes(relative(root, path)) && !/^(?:\.vite|\.cache|\.cairn-bench-.*)$/.test(basename(path)),
  });
  mkdirSync(join(copy, 'node_modules'));
  for (const name of readdirSync(join(root, 'node_modules')))
    if (!name.startsWith('.cairn-')) symlinkSync(join(root, 'node_modules', name), join(copy, 'node_modules', name));
  const copied = await import(pathToFileURL(join(copy, 'tools', 'lib', 'toolchain.mjs')).href);
  copied.rememberInstall();
  copied.rememberBuild();
}

test('dev restarts services after an edit, keeps them after a wrong edit, and ends with Ctrl-C', {
  timeout: 480_000,
}, async () => {
  await copyRepository();
  const [storage, gateway, pages, ipfs] = [await freePort(), await freePort(), await freePort(), await freePort()];
  child = spawn(process.execPath, [join(copy, 'tools', 'dev', 'dev.mjs')], {
    cwd: copy,
    env: {
      ...process.env,
      CAIRN_HOME: join(work, 'home'),
      STORAGE_API_PORT: String(storage),
      RPC_GATEWAY_PORT: String(gateway),
      CONSOLE_PORT: String(pages),
      IPFS_GATEWAY_PORT: String(ipfs),
      CAIRN_IPFS_PEER: 'off',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (printed += text));
  /** Resolves when the output since a position matches; returns the position behind the match. */
  const prints = async (pattern, from = 0) => {
    const end = Date.now() + 150_000;
    for (;;) {
      const match = pattern.exec(printed.slice(from));
      if (match) return from + match.index + match[0].length;
      assert.ok(child.exitCode === null, `dev ended:\n${printed}`);
      assert.ok(Date.now() < end, `${pattern} was not printed:\n${printed}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const isAlive = async (port) => (await fetch(`http://127.0.0.1:${port}/livez`)).ok;
  await prints(/Watching the sources/);
  let at = await prints(/Ctrl-C stops/);

  const source = join(copy, 'libs', 'service-kit', 'src', 'index.ts');
  const before = readFileSync(source, 'utf8');
  appendFileSync(source, "console.error('edited:', process.argv[1]);\n");
  for (const name of ['storage-api', 'rpc-gateway', 'ipfs-gateway', 'console']) {
    await prints(new RegExp(`edited: .*${name}`), at);
    await prints(new RegExp(`${name} runs the new build`), at);
  }

  at = printed.length;
  writeFileSync(source, `${before}export const wrong: number = 'text';\n`);
  at = await prints(/TS2322[\s\S]*The build failed\. The services keep running/, at);
  for (const port of [storage, gateway, pages, ipfs]) assert.ok(await isAlive(port));

  writeFileSync(source, before);
  for (const name of ['storage-api', 'rpc-gateway', 'ipfs-gateway', 'console'])
    await prints(new RegExp(`${name} runs the new build`), at);
  assert.doesNotMatch(printed.slice(at), /edited:/);

  child.kill('SIGINT');
  assert.equal(await ended, 0, printed);
  for (const port of [storage, gateway, pages, ipfs]) await assert.rejects(isAlive(port));
});

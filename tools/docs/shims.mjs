// Replacements of system programs that a test must not run: users, packages, services. The services themselves run.
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes the programs into a directory and returns it for the front of PATH. */
export function placeShims(directory, { prefix, ports }) {
  mkdirSync(directory, { recursive: true });
  const place = (name, text) => {
    writeFileSync(join(directory, name), text);
    chmodSync(join(directory, name), 0o755);
  };
  const nothing = '#!/bin/sh\nexit 0\n';
  place('useradd', nothing);
  place('apt-get', nothing);
  if (!existsSync('/usr/bin/promtool')) place('promtool', nothing);
  // runuser -u cairn -- program …
  place('runuser', '#!/bin/sh\nshift 3\nexec "$@"\n');
  place('install', `#!/bin/sh\nexec /usr/bin/install $(echo "$*" | sed 's/-[og] [a-z]* *//g')\n`);
  place(
    'systemctl',
    `#!${process.execPath}
const { spawn } = require('node:child_process');
const { readFileSync, writeFileSync, existsSync, openSync, rmSync } = require('node:fs');
const [verb, ...names] = process.argv.slice(2).filter((word) => word !== '--now');
const prefix = ${JSON.stringify(prefix)};
const ports = ${JSON.stringify(ports)};
const at = (text) => text.replace(/(?<=[=\\s-])\\/(opt\\/cairn|etc\\/cairn|var\\/lib\\/cairn)/g, prefix + '/$1').replaceAll('/usr/bin/node', process.execPath);
const wait = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const alive = (pid) => { try { return !readFileSync('/proc/' + pid + '/stat', 'utf8').includes(') Z '); } catch { return false; } };
for (const name of verb === 'daemon-reload' ? [] : names) {
  const file = prefix + '/etc/systemd/system/' + name + '.service';
  if (!existsSync(file)) { if (name === 'prometheus') continue; console.error('There is no unit ' + name); process.exit(5); }
  const pidFile = file + '.pid';
  if (verb !== 'enable' && existsSync(pidFile)) {
    const pid = Number(readFileSync(pidFile, 'utf8'));
    process.kill(pid, 'SIGTERM');
    while (alive(pid)) wait(20);
    rmSync(pidFile);
  }
  if (verb === 'stop') continue;
  const unit = at(readFileSync(file, 'utf8'));
  const lines = (key) => [...unit.matchAll(new RegExp('^' + key + '=-?(.*)$', 'gm'))].map(([, value]) => value);
  const pairs = (text) => Object.fromEntries(text.split(/\\s+/).filter(Boolean).map((pair) => pair.split(/=(.*)/s).slice(0, 2)));
  const files = lines('EnvironmentFile').filter(existsSync).map((path) => pairs(at(readFileSync(path, 'utf8'))));
  const settings = Object.assign({}, ...lines('Environment').map(pairs), ...files);
  for (const [key, value] of Object.entries(settings)) if (key.endsWith('_ADMIN_PORT')) settings[key] = String(ports[value]);
  Object.assign(settings, { STORAGE_API_PORT: String(ports[5001]), RPC_GATEWAY_PORT: String(ports[8545]), CONSOLE_PORT: String(ports[8080]) });
  const [program, ...args] = lines('ExecStart')[0].split(' ');
  const child = spawn(program, args, { env: { PATH: process.env.PATH, ...settings }, cwd: '/', detached: true, stdio: ['ignore', openSync(file + '.log', 'a'), openSync(file + '.log', 'a')] });
  writeFileSync(pidFile, String(child.pid));
  child.unref();
}
`,
  );
  return directory;
}

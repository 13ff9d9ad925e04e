import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Real servers that tests compare with: the Go module of each, and its main package. */
const modules = {
  kubo: { module: 'github.com/ipfs/kubo', command: 'cmd/ipfs', binary: 'ipfs' },
  geth: { module: 'github.com/ethereum/go-ethereum', command: 'cmd/geth', binary: 'geth' },
};

export const peerNames = Object.keys(modules);

/** Directory of the built peers. It lies outside the repository, so that a clean clone finds them. */
const cache =
  process.env.TEST_PEERS_DIR ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'cairn-peers');

/**
 * Describes one peer: its version (pinned in `<name>/go.mod`), the Go package to build, and the path of its binary.
 * @param {string} name a member of {@link peerNames}
 */
export function peer(name) {
  const { module, command, binary } = modules[name];
  const directory = new URL(`./${name}/`, import.meta.url);
  const version = new RegExp(`${module} (v[\\w.-]+)`).exec(readFileSync(new URL('go.mod', directory), 'utf8'))?.[1];
  if (version === undefined) throw new Error(`tools/peers/${name}/go.mod does not require ${module}. Add the line.`);
  return { name, version, directory, package: `${module}/${command}`, path: join(cache, `${name}-${version}`, binary) };
}

/** Returns the path of a peer's binary, or undefined where it is not built. */
export function peerBinary(name) {
  const { path } = peer(name);
  return existsSync(path) ? path : undefined;
}

/** Returns one line that explains how to enable the tests of a peer. */
export function howToEnable(name) {
  const { version } = peer(name);
  return `skipped: ${name} ${version} is not built; run \`node tools/peers/install.mjs ${name}\` (needs Go)`;
}

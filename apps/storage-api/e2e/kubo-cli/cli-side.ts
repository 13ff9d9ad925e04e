import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import type { CliStep } from './cli-step.ts';

/** Printed by one run of the CLI. */
export interface CliOutcome {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly files: readonly string[];
}

export interface CliSideOptions {
  readonly binary: string;
  /** Multiaddress of the API. */
  readonly api: string;
  /** `user:password` of the API. */
  readonly auth?: string;
  /** Directory of the fixtures, in which the commands run. */
  readonly fixtures: string;
  /** Directory for files that commands write. */
  readonly out: string;
  /** Values of `$name` in commands. */
  readonly values?: Readonly<Record<string, string>>;
}

/** One server, reached with the `ipfs` CLI. */
export class CliSide {
  readonly #options: CliSideOptions;
  readonly #saved = new Map<string, string>();

  constructor(options: CliSideOptions) {
    this.#options = options;
    mkdirSync(options.out, { recursive: true });
    for (const [name, value] of Object.entries({ ...options.values, out: options.out })) this.#saved.set(name, value);
  }

  async run({ line, stdin, save, tree }: CliStep): Promise<CliOutcome> {
    const { binary, api, auth, fixtures, out } = this.#options;
    const words = line.split(' ').map((word) => this.#filledIn(word).replaceAll('%20', ' '));
    const args = ['--api', api, ...(auth === undefined ? [] : ['--api-auth', `basic:${auth}`]), ...words];
    const { exitCode, stdout, stderr } = await runCli(binary, args, {
      cwd: fixtures,
      repository: join(out, 'none'),
      stdin,
    });
    if (save !== undefined) this.#saved.set(save, stdout.toString().trim());
    return {
      exitCode,
      stdout: isText(stdout) ? this.#plain(stdout.toString()) : hashOf(stdout),
      stderr: this.#plain(stderr.toString()),
      files: tree === undefined ? [] : await listFiles(out, tree),
    };
  }

  #filledIn(word: string): string {
    return word.replace(/\$([a-z]+)/g, (whole, name: string) => this.#saved.get(name) ?? whole);
  }

  /**
   * Removes the address and directory of the side, all states of a progress bar except the last, and the hint that
   * the CLI prints for code 1: the service gives bad arguments status 400 and code 1, Kubo often 500 and code 0.
   */
  #plain(text: string): string {
    const { api, out } = this.#options;
    const port = api.split('/').at(-1);
    return stripVTControlCharacters(text)
      .replaceAll(out, '$out')
      .replaceAll(`127.0.0.1:${port}`, '127.0.0.1:<port>')
      .replace(/^.*\r/gm, '')
      .replace(/^Use 'ipfs [a-z -]* --help' for information about this command\n/gm, '');
  }
}

async function runCli(
  binary: string,
  args: readonly string[],
  {
    cwd,
    repository,
    stdin = '',
  }: { readonly cwd: string; readonly repository: string; readonly stdin?: string | undefined },
): Promise<{ exitCode: number | null; stdout: Buffer; stderr: Buffer }> {
  const child = spawn(binary, args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, IPFS_PATH: repository, IPFS_TELEMETRY: 'off' },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 60_000,
  });
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  // A command that reads no input may end before the input is written.
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { exitCode, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr) };
}

function isText(bytes: Buffer): boolean {
  return bytes.length < 100_000 && Buffer.from(bytes.toString()).equals(bytes);
}

function hashOf(bytes: Buffer): string {
  return `${bytes.length} bytes, sha256 ${createHash('sha256').update(bytes).digest('hex')}`;
}

/** Lists paths below a directory with mode and content, one per line; of an archive, the entries. */
async function listFiles(directory: string, path: string): Promise<readonly string[]> {
  const at = join(directory, path);
  const stat = lstatSync(at, { throwIfNoEntry: false });
  if (stat === undefined) return [`${path} is absent`];
  if (stat.isSymbolicLink()) return [`${path} -> ${readlinkSync(at)}`];
  const about = `${path} ${(stat.mode & 0o7777).toString(8)}`;
  if (stat.isDirectory()) {
    const names = readdirSync(at).sort();
    const lists = await Promise.all(names.map((name) => listFiles(directory, `${path}/${name}`)));
    return [about, ...lists.flat()];
  }
  const bytes = readFileSync(at);
  if (path.endsWith('.tar')) return [about, ...(await listEntries(bytes))];
  // Compressed bytes differ between implementations.
  return [`${about} ${hashOf(path.endsWith('.gz') ? gunzipSync(bytes) : bytes)}`];
}

/** Lists the entries of a tar archive, one per line. Entries without their own time have the time of the command. */
async function listEntries(tar: Buffer): Promise<readonly string[]> {
  const lines: string[] = [];
  const reader = extract();
  reader.end(tar);
  for await (const entry of reader) {
    const { name, type, mode = 0, linkname } = entry.header;
    const chunks: Buffer[] = [];
    for await (const chunk of entry) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
    lines.push(`${name} ${type} ${mode.toString(8)} ${linkname ?? ''} ${hashOf(Buffer.concat(chunks))}`);
  }
  return lines;
}

// Runs guides as programs: their fences in order.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

const kinds = new Set(['sh', 'sh background', 'sh given', 'text']);

/**
 * Returns the fences of a guide. `sh` runs in one shell, `sh background` runs beside it, `sh given` is filled in by
 * readers, `text` is the output of the previous `sh` (… matches anything), `js file=NAME` is a file. Throws for any
 * other fence, so that no command is skipped.
 */
export function fencesOf(path) {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(([, said, body]) => {
    const [, file] = /^js file=([\w.-]+)$/.exec(said) ?? [];
    if (file === undefined && !kinds.has(said)) throw new Error(`${path}: unsupported fence ${JSON.stringify(said)}.`);
    return { kind: file === undefined ? said : 'file', file, body };
  });
}

/** Returns the pattern of a `text` fence. */
export function patternOf(text) {
  const pieces = text.trim().split('…');
  return new RegExp(`^${pieces.map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[\\s\\S]*?')}$`);
}

/** One shell for all blocks of a guide, so that variables persist between blocks. */
export class Shell {
  #child;
  #output = '';
  #count = 0;

  constructor({ cwd, env }) {
    this.#child = spawn('bash', ['--noprofile', '--norc'], {
      cwd,
      env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const take = (text) => {
      this.#output += text;
    };
    this.#child.stdout.setEncoding('utf8').on('data', take);
    this.#child.stderr.setEncoding('utf8').on('data', (text) => process.stderr.write(text));
    this.#child.stdin.write('set -E; set -o pipefail; trap "failed=1" ERR\n');
  }

  /** Runs a block and resolves with its output. Rejects when a command fails, or after the time limit. */
  async run(block, { timeoutMs }) {
    const mark = `__${++this.#count}__`;
    this.#output = '';
    this.#child.stdin.write(`failed=0\n${block}\necho "${mark}$failed"\n`);
    const end = Date.now() + timeoutMs;
    for (;;) {
      const [, failed] = new RegExp(`${mark}(\\d)\n`).exec(this.#output) ?? [];
      const printed = this.#output.split(mark)[0];
      if (failed === '0') return printed;
      if (failed !== undefined) throw new Error(`a command failed in:\n${block}\nit printed:\n${printed}`);
      if (Date.now() > end) throw new Error(`not done after ${timeoutMs} ms:\n${block}\nit printed:\n${printed}`);
      if (this.#child.exitCode !== null) throw new Error(`the shell ended during:\n${block}\n${printed}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Ends the shell, also during a command. */
  async end() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    process.kill(-this.#child.pid, 'SIGKILL');
    await ended;
  }
}

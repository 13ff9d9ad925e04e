// Guides as programs: their fences in order.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

const kinds = new Set(['sh', 'sh background', 'sh given', 'text']);

/**
 * The fences of a guide. `sh` runs in one shell, `sh background` beside it, `sh given` is what readers fill in themselves,
 * `text` is what the `sh` before it prints (… stands for anything), `js file=NAME` is a file. Throws for any other one, so
 * that no command is left out in silence.
 */
export function fencesOf(path) {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)].map(([, said, body]) => {
    const [, file] = /^js file=([\w.-]+)$/.exec(said) ?? [];
    if (file === undefined && !kinds.has(said)) throw new Error(`${path}: there is a fence ${JSON.stringify(said)}.`);
    return { kind: file === undefined ? said : 'file', file, body };
  });
}

/** What a `text` fence matches. */
export function patternOf(text) {
  const pieces = text.trim().split('…');
  return new RegExp(`^${pieces.map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[\\s\\S]*?')}$`);
}

/** One shell for the blocks of a guide: what one block sets, the next one has. */
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

  /** Runs a block and resolves with what it printed. Rejects where one of its commands fails, or after the time. */
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
      if (this.#child.exitCode !== null) throw new Error(`the shell has ended in:\n${block}\n${printed}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Ends it whatever it waits for. */
  async end() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    process.kill(-this.#child.pid, 'SIGKILL');
    await ended;
  }
}

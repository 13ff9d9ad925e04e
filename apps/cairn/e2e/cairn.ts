import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** Output and exit code of a command. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built command with its own home. */
export class Cairn {
  readonly home = mkdtempSync(join(tmpdir(), 'cairn-command-'));
  /** Settings beside the home. */
  settings: Readonly<Record<string, string>> = {};

  /** Runs a command to its end. */
  async run(...args: readonly string[]): Promise<Outcome> {
    return await outcomeOf(this.spawn(args));
  }

  /** Runs a command with `--json` and reads its answer. */
  async json<T>(...args: readonly string[]): Promise<T> {
    const { code, stdout, stderr } = await this.run(...args, '--json');
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as T;
  }

  spawn(args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess {
    return spawn(process.execPath, [main, ...args], {
      // One process of each service starts faster. TEST_PROCESSES=2 runs a suite against several.
      env: {
        ...process.env,
        CAIRN_PROCESSES: process.env.TEST_PROCESSES ?? '1',
        CAIRN_HOME: this.home,
        ...this.settings,
        ...env,
      },
      // Has an IPC channel like `npm start`: the command must end by itself all the same.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
  }

  remove(): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** Collects the output of a process until it ends. */
export async function outcomeOf(child: ChildProcess): Promise<Outcome> {
  let [stdout, stderr] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, stdout, stderr };
}

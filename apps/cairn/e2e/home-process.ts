import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';

/** Contents of a home, an error, or the exit of the process. */
export type Answer =
  | { readonly found: string }
  | { readonly code: string; readonly message: string }
  | { readonly crash: unknown };

export type Task =
  | { readonly action: 'build' | 'read'; readonly home: string }
  | {
      readonly action: 'trial';
      readonly home: string;
      readonly trial: number;
      readonly store: string;
      readonly flips: readonly { readonly at: number; readonly bit: number }[];
      readonly isOpen: boolean;
    };

/** Process that builds and reads homes with the built libraries; a new one replaces a process that ended. */
export class HomeProcess {
  #child: ChildProcess | undefined;

  async ask(task: Task): Promise<Answer> {
    this.#child ??= await start();
    const child = this.#child;
    return await new Promise((resolve) => {
      const onExit = (code: unknown, signal: unknown) => {
        this.#child = undefined;
        resolve({ crash: signal ?? code });
      };
      child.once('exit', onExit);
      child.once('message', (answer: Answer) => {
        child.off('exit', onExit);
        resolve(answer);
      });
      child.send(task);
    });
  }

  /** Reads the whole contents of a home. */
  async read(home: string): Promise<string> {
    const answer = await this.ask({ action: 'read', home });
    if (!('found' in answer)) throw new Error(JSON.stringify(answer));
    return answer.found;
  }

  async build(home: string): Promise<void> {
    const answer = await this.ask({ action: 'build', home });
    if ('code' in answer || 'crash' in answer) throw new Error(JSON.stringify(answer));
  }

  stop(): void {
    this.#child?.kill();
  }
}

async function start(): Promise<ChildProcess> {
  const path = join(import.meta.dirname, 'home-process.fixture.mjs');
  const child = fork(path, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  await new Promise((resolve) => child.once('message', resolve));
  return child;
}

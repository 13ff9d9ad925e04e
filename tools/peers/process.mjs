import { spawn } from 'node:child_process';

/**
 * Starts a server and resolves when it answers.
 * @param {{ command: string, args: readonly string[], env?: Readonly<Record<string, string>>, isReady: () => Promise<boolean>, name: string, isGroup?: boolean, onOutput?: (text: string) => void }} server
 *   `isGroup`: the command starts the server as its child, and both are ended
 * @returns its child process and `stop`, which ends it (SIGTERM, SIGKILL after 10 s) and resolves when it is gone
 * @throws Error with the last lines of its output when it exits or does not answer within a minute
 */
export async function startServer({ command, args, env = {}, isReady, name, isGroup = false, onOutput = () => {} }) {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: isGroup,
  });
  const kill = (signal) => (isGroup ? process.kill(-child.pid, signal) : child.kill(signal));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-8192);
      onOutput(text);
    });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const stop = async () => {
    const timer = setTimeout(() => kill('SIGKILL'), 10_000);
    kill('SIGTERM');
    await ended;
    clearTimeout(timer);
  };
  const end = Date.now() + 60_000;
  while (!(await isReady().catch(() => false))) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`${name} ended during its start: ${output}`);
    if (Date.now() > end) {
      await stop();
      throw new Error(`${name} does not answer after a minute: ${output}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { child, stop, output: () => output };
}

/** Runs a program to its end. @throws Error with its output when it fails */
export async function runProgram(command, args, env = {}) {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (text) => {
    output += text;
  });
  child.stderr.on('data', (text) => {
    output += text;
  });
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} exited with ${code}: ${output.slice(-4096)}`);
  return output;
}

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('peer.mjs', import.meta.url));

/** Starts a peer over a new store in `directory`. `call` resolves with the answer of a command. */
export async function startCairnPeer(directory, { profile } = {}) {
  const execArgv = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const child = fork(program, [directory], { execArgv });
  const waiting = new Map();
  let last = 0;
  child.on('message', ({ id, error, ...answer }) => {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) resolve(answer);
    else reject(new Error(error));
  });
  child.once('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`The peer ended with code ${code}.`));
  });
  const call = (command, options = {}) =>
    new Promise((resolve, reject) => {
      const id = ++last;
      waiting.set(id, { resolve, reject });
      child.send({ id, command, ...options });
    });
  const { result } = await call('describe');
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await call('stop');
    await ended;
  };
  return { provider: result, call, stop };
}

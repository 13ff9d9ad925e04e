import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Provider } from '@cairn/block-exchange';

const program = fileURLToPath(new URL('server-process.fixture.mjs', import.meta.url));

/** State of a server in a process of its own. */
export interface ServerState {
  /** Peak of its resident memory in MiB. */
  readonly peakMiB: number;
  readonly storedBlocks: number;
  readonly excluded: number;
  readonly wants: number;
}

/** Starts an engine over js-libp2p in another process, on the built package, with `blocks` blocks of 64 KiB. */
export async function startServerProcess(blocks: number) {
  const child = fork(program, [String(blocks)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const next = () => new Promise<unknown>((resolve) => child.once('message', resolve));
  const { provider, cids } = (await next()) as {
    provider: Provider & { peer: string; addresses: string[] };
    cids: string[];
  };
  return {
    provider,
    cids,
    /** Fetches a block through the server, so that it becomes a client of `from`. */
    fetch: (cid: string, from: Provider) => child.send({ command: 'fetch', cid, from }),
    async state(): Promise<ServerState> {
      const answer = next();
      child.send({ command: 'state' });
      return (await answer) as ServerState;
    },
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    },
  };
}

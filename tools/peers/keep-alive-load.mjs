import { Agent, request } from 'node:http';

/**
 * Sends requests over kept connections, one after the other on each, until it is stopped. Nothing is sent twice.
 * @param {{ url: string, connections?: number, pauseMs?: number, next: (n: number) => { path: string, method?: string, headers?: Readonly<Record<string, string>>, body?: string | Uint8Array } }} options
 */
export function startLoad({ url, connections = 8, pauseMs = 0, next }) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  /** @type {{ n: number, status: number, text: string }[]} */
  const answers = [];
  /** @type {{ n: number, code: string }[]} */
  const failures = [];
  let isStopped = false;
  let count = 0;
  const { hostname, port } = new URL(url);
  /** @param {number} n */
  const send = (n) =>
    new Promise((resolve) => {
      const { body, ...wanted } = next(n);
      const failed = (/** @type {NodeJS.ErrnoException} */ error) => {
        failures.push({ n, code: error.code ?? error.message });
        resolve(undefined);
      };
      const sent = request({ hostname, port, agent, ...wanted }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (more) => {
          text += more;
        });
        response.once('error', failed).once('end', () => {
          answers.push({ n, status: response.statusCode ?? 0, text });
          resolve(undefined);
        });
      });
      sent.once('error', failed).end(body);
    });
  const loops = Array.from({ length: connections }, async () => {
    while (!isStopped) {
      await send(count++);
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  });
  return {
    answers,
    failures,
    async stop() {
      isStopped = true;
      await Promise.all(loops);
      agent.destroy();
      return { answers, failures };
    },
  };
}

import { createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KeyPolicy, Principal } from '@cairn/auth';
import { createMemoryBlockstore } from '@cairn/blockstore';
import type { PeerApi } from '@cairn/peer-api';
import type { Command } from '../command.ts';
import { apiErrorFrom } from '../error-policy.ts';
import { parseOptions } from '../options.ts';
import { checkArgs, RequestTargets } from '../request-target.ts';
import { failStream, sendJson } from '../write.ts';
import { peerCommands } from './commands.ts';
import { NetworkPermits } from './network-permits.ts';
import type { PeerServices } from './peer-command.ts';

export interface Outcome {
  readonly status: number;
  /** JSON values of the body. */
  readonly values: readonly unknown[];
  /** Message of a refusal or of the trailer. */
  readonly message: string | undefined;
}

export interface RunOptions extends Partial<Omit<PeerServices, 'peer'>> {
  readonly policy?: KeyPolicy;
  readonly signal?: AbortSignal;
}

export const operator: RunOptions = { policy: { grants: ['node'] } };

/** Sends one request, such as `ping?arg=…`, to a server that has only the commands of a peer. */
export async function runCommand(
  peer: PeerApi | undefined,
  target: string,
  options: RunOptions = {},
): Promise<Outcome> {
  const services: PeerServices = {
    peer,
    permits: new NetworkPermits(),
    pinning: { get: async () => undefined, findAncestorPin: async () => undefined },
    store: createMemoryBlockstore(),
    ...options,
  };
  const [path = '', query = ''] = target.split('?');
  const { command } = new RequestTargets(peerCommands(services)).find(path);
  if (command === undefined) throw new Error(`There is no command ${path}.`);
  return await sendTo(command, query, options);
}

/** Sends one request with a query, such as `arg=…`, to a command. */
export async function sendTo(command: Command, query: string, options: RunOptions = {}): Promise<Outcome> {
  const server = createServer((request, response) => {
    // Node merges the fields of the head only where one is set before, as the service does.
    response.setHeader('x-request-id', 'test');
    run(command, new URLSearchParams(query), options).catch((error: unknown) => {
      const { status, message } = apiErrorFrom(error) ?? { status: 500, message: String(error) };
      if (response.headersSent) failStream(response, message);
      else sendJson(response, { Message: message, Code: 0, Type: 'error' }, status);
    });

    async function run(found: Command, given: URLSearchParams, { policy, signal }: RunOptions) {
      const chosen = parseOptions(found.options, given);
      const args = checkArgs(found, given.getAll('arg'));
      const principal = { account: { id: 'ann' }, key: { policy: policy ?? {} } } as unknown as Principal;
      const own = signal ?? new AbortController().signal;
      await found.run({ principal, args, options: chosen, request, response, signal: own });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    return await outcomeOf(`http://127.0.0.1:${port}/`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function outcomeOf(url: string): Promise<Outcome> {
  return await new Promise((resolve, reject) => {
    const asked = sendRequest(url, { method: 'POST', headers: { 'content-length': 0 } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      answer.once('error', reject);
      answer.once('end', () => {
        const values = text
          .split('\n')
          .filter((line) => line !== '')
          .map((line): unknown => JSON.parse(line));
        const status = answer.statusCode ?? 0;
        const message = status === 200 ? answer.trailers['x-stream-error'] : Object(values[0]).Message;
        resolve({ status, values: status === 200 ? values : [], message });
      });
    });
    asked.once('error', reject);
    asked.end();
  });
}

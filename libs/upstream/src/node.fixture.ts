import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

interface RpcRequest {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Behaviour of a node: a result, an RPC error, or a fault of the transport. */
export type Reply =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
  | { readonly omit: true }
  | ((request: IncomingMessage, response: ServerResponse) => void);

export interface TestNode {
  readonly url: string;
  readonly wsUrl: string;
  /** Bodies received, parsed: one entry per HTTP request or WebSocket message, without chain id and head polls. */
  readonly bodies: RpcRequest[][];
  /** Methods received, without chain id and head polls. */
  readonly methods: string[];
  reply: (request: RpcRequest) => Reply | Promise<Reply>;
  chainId: string;
  height: number;
  /** Sends a `newHeads` notification to all WebSocket clients. */
  announce(): void;
  /** Sends a `newPendingTransactions` notification to all WebSocket clients. */
  announcePending(hash: unknown): void;
  dropSockets(): void;
  stop(): Promise<void>;
}

const hashOf = (number: number) => `0x${number.toString(16).padStart(64, '0')}`;

/** Starts a node on loopback that answers chain id and head by itself and everything else by `reply`. */
export async function startNode(reply: TestNode['reply'] = () => ({ result: 'ok' })): Promise<TestNode> {
  const server: Server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const answer = await answerOf(JSON.parse(text));
    if (typeof answer === 'function') answer(request, response);
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => {
    socket.on('message', async (data) => {
      const answer = await answerOf(JSON.parse(data.toString()));
      if (typeof answer === 'function') socket.terminate();
      else socket.send(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const header = () => ({ number: `0x${node.height.toString(16)}`, hash: hashOf(node.height) });
  const own = ({ method, params }: RpcRequest): Reply | undefined => {
    if (method === 'eth_chainId') return { result: node.chainId };
    if (method === 'eth_subscribe') return { result: params[0] === 'newHeads' ? '0xsub' : '0xpending' };
    return method === 'eth_getBlockByNumber' ? { result: header() } : undefined;
  };
  const one = async (request: RpcRequest) => {
    const reply = own(request) ?? (await node.reply(request));
    if (typeof reply === 'function') return reply;
    return 'omit' in reply ? undefined : { jsonrpc: '2.0', id: request.id, ...reply };
  };
  const answerOf = async (body: RpcRequest | RpcRequest[]) => {
    const requests = Array.isArray(body) ? body : [body];
    const counted = requests.filter((request) => own(request) === undefined);
    if (counted.length > 0) node.bodies.push(counted);
    node.methods.push(...counted.map(({ method }) => method));
    const answers = await Promise.all(requests.map(one));
    const fault = answers.find((answer) => typeof answer === 'function');
    if (fault !== undefined) return fault;
    return Array.isArray(body) ? answers.filter((answer) => answer !== undefined) : (answers[0] ?? []);
  };
  const node: TestNode = {
    url: `http://127.0.0.1:${port}`,
    wsUrl: `ws://127.0.0.1:${port}`,
    bodies: [],
    methods: [],
    reply,
    chainId: '0x1',
    height: 100,
    announce() {
      const params = { subscription: '0xsub', result: header() };
      for (const socket of sockets.clients)
        socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params }));
    },
    announcePending(result) {
      const params = { subscription: '0xpending', result };
      for (const socket of sockets.clients)
        socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params }));
    },
    dropSockets() {
      for (const socket of sockets.clients) socket.terminate();
    },
    async stop() {
      node.dropSockets();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return node;
}

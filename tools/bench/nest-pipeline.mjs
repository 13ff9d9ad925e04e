#!/usr/bin/env node
// CPU time of a server per eth_chainId through Nest's pipeline and around it, alternating: npm run bench-nest
// The figures stand in docs/decisions/raw-http-path.md.
import 'reflect-metadata';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Dispatcher, defineMethod } from '@cairn/jsonrpc-core';
import { HttpFastPath } from '@cairn/service-kit';
import {
  Controller,
  Header,
  Injectable,
  Module,
  Post,
  Req,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { fromEvent, mergeMap, tap } from 'rxjs';
import { WebSocket, WebSocketServer } from 'ws';

const rounds = 9;
const count = 20_000;
const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}';
const chainId = defineMethod()({
  name: 'eth_chainId',
  summary: 'Returns the chain id.',
  params: [],
  result: 'A quantity.',
  handle: () => '0x1',
});
const dispatcher = new Dispatcher({ methods: [chainId] });

const decorate = (target, ...decorators) => {
  for (const decorator of decorators) decorator(target);
  return target;
};
const decorateMethod = (target, name, ...decorators) => {
  for (const decorator of decorators)
    decorator(target.prototype, name, Object.getOwnPropertyDescriptor(target.prototype, name));
};

// One guard, interceptor and filter, which do nothing: the cost is that of the pipeline.
class Guard {
  canActivate() {
    return true;
  }
}
class Interceptor {
  intercept(_, next) {
    return next.handle().pipe(tap(() => {}));
  }
}
class Filter {
  catch(error) {
    throw error;
  }
}
for (const each of [Guard, Interceptor, Filter]) decorate(each, Injectable());

class RpcController {
  async call(request) {
    return await dispatcher.handle(request.body, {});
  }
}
Req()(RpcController.prototype, 'call', 0);
decorateMethod(RpcController, 'call', Post(':key'), Header('content-type', 'application/json'));
decorate(RpcController, Controller('v3'), UseGuards(Guard), UseInterceptors(Interceptor), UseFilters(Filter));

class RpcGateway {
  async message(_socket, data) {
    return await dispatcher.handle(data, {});
  }
}
decorateMethod(RpcGateway, 'message', SubscribeMessage('message'));
decorate(RpcGateway, WebSocketGateway(), UseGuards(Guard), UseInterceptors(Interceptor), UseFilters(Filter));

async function application({ controllers = [], providers = [], adapter }) {
  class AppModule {}
  decorate(AppModule, Module({ controllers, providers }));
  const express = new ExpressAdapter();
  const app = await NestFactory.create(AppModule, express, { logger: false, bodyParser: false });
  app.useBodyParser('text', { type: 'application/json' });
  if (adapter) app.useWebSocketAdapter(adapter);
  await app.init();
  return app.getHttpServer();
}

/** An adapter whose messages take the way that `bind` gives them to the handler of the gateway. */
function webSocketAdapter(bind) {
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  return {
    server,
    create: () => server,
    bindClientConnect: (_, callback) => server.on('connection', callback),
    bindMessageHandlers: bind,
    close: () => server.close(),
    dispose: () => {},
  };
}

async function webSocketServer(bind) {
  const adapter = webSocketAdapter(bind);
  const http = await application({ providers: [RpcGateway], adapter });
  http.on('upgrade', (request, socket, head) =>
    adapter.server.handleUpgrade(request, socket, head, (client) => adapter.server.emit('connection', client)),
  );
  return http;
}

const send = (client) => (answer) => client.send(answer, { binary: false });
const servers = {
  'HTTP, fast path': () => {
    const http = createServer();
    const answerOf = (text) => ({ status: 200, headers: { 'content-type': 'application/json' }, body: text });
    const answer = (request) => {
      const result = dispatcher.handle(request.body, {});
      return result instanceof Promise ? result.then(answerOf) : answerOf(result);
    };
    new HttpFastPath(http, { handler: { takes: () => true, answer }, keepAliveMs: 60_000 });
    return http;
  },
  'HTTP, Nest controller on Express': () => application({ controllers: [RpcController] }),
  'WebSocket, direct': () =>
    webSocketServer((client) => {
      client.on('message', (data) => void Promise.resolve(dispatcher.handle(data, {})).then(send(client)));
    }),
  'WebSocket, Nest handler without RxJS': () =>
    webSocketServer((client, [{ callback }]) => {
      client.on('message', (data) => void callback(data).then(firstOf).then(send(client)));
    }),
  'WebSocket, Nest handler as in platform-ws': () =>
    webSocketServer((client, [{ callback }], transform) => {
      fromEvent(client, 'message', (event) => Buffer.from(event.data))
        .pipe(mergeMap((data) => transform(callback(data))))
        .subscribe(send(client));
    }),
};

/** The value of an Observable, which an interceptor makes of the result. */
function firstOf(result) {
  if (typeof result?.subscribe !== 'function') return result;
  return new Promise((resolve, reject) => void result.subscribe({ next: resolve, error: reject }));
}

async function serve(name) {
  const server = await servers[name]();
  server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
  process.on('message', () => process.send({ cpu: process.cpuUsage() }));
  process.on('disconnect', () => process.exit());
}

const request = `POST /v3/k HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

/** Requests over 16 connections, one at a time on each. */
function load(port, isWebSocket) {
  let sent = 0;
  let done = 0;
  return new Promise((resolve, reject) => {
    const begin = isWebSocket ? beginWebSocket : beginHttp;
    const next = (write, end) => (sent++ < count ? write() : end());
    const answered = () => {
      if (++done === count) resolve();
    };
    for (let connection = 0; connection < 16; connection++) begin(port, { next, answered, reject });
  });
}

function beginHttp(port, { next, answered, reject }) {
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  const ask = () =>
    next(
      () => socket.write(request),
      () => socket.end(),
    );
  socket.on('data', (data) => {
    if (!data.includes('"result":"0x1"')) return reject(new Error(data.toString()));
    answered();
    ask();
  });
  socket.on('error', reject);
  ask();
}

function beginWebSocket(port, { next, answered, reject }) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`, { perMessageDeflate: false });
  const ask = () =>
    next(
      () => socket.send(body),
      () => socket.close(),
    );
  socket.on('open', ask);
  socket.on('message', () => {
    answered();
    ask();
  });
  socket.on('error', reject);
}

async function cpuMs(child) {
  const reply = once(child, 'message');
  child.send({});
  const [{ cpu }] = await reply;
  return (cpu.user + cpu.system) / 1000;
}

async function measure() {
  const running = [];
  for (const name of Object.keys(servers)) {
    const child = fork(fileURLToPath(import.meta.url), ['--serve', name]);
    const [{ port }] = await once(child, 'message');
    running.push({ name, child, port, used: [] });
  }
  for (let round = -2; round < rounds; round++) {
    for (const { name, child, port, used } of running) {
      const before = await cpuMs(child);
      await load(port, name.startsWith('WebSocket'));
      if (round >= 0) used.push(((await cpuMs(child)) - before) * (1000 / count));
    }
  }
  for (const { name, child, used } of running) {
    const sorted = used.sort((a, b) => a - b).map((us) => us.toFixed(1));
    console.log(`${name.padEnd(44)} ${sorted[Math.floor(rounds / 2)]} µs (${sorted[0]} to ${sorted.at(-1)})`);
    child.disconnect();
  }
}

if (process.argv[2] === '--serve') await serve(process.argv[3]);
else await measure();

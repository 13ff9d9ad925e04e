import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { PlainHandler, RawHttp } from '@cairn/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { ChainRegistry } from '../chains/chain-registry.ts';
import { HttpDoor } from './http-door.ts';
import { WebSocketDoor } from './web-socket-door.ts';

/** Two doors to one dispatcher. */
@Injectable()
export class GatewayServer implements RawHttp {
  constructor(
    @Inject(HttpDoor) private readonly http: HttpDoor,
    @Inject(WebSocketDoor) private readonly webSocket: WebSocketDoor,
    @Inject(ChainRegistry) private readonly registry: ChainRegistry,
  ) {}

  get plain(): PlainHandler {
    return this.http.plain;
  }

  handleRequest(request: IncomingMessage, response: ServerResponse): boolean {
    return this.http.handle(request, response);
  }

  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    return this.webSocket.handle(request, socket, head);
  }

  notReady(): string | undefined {
    return this.registry.notReady;
  }

  drain(): Promise<void> {
    return this.webSocket.drain();
  }
}

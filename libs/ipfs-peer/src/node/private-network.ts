import { timeLimit } from '@cairn/platform';
import type {
  AbortOptions,
  ConnectionProtector,
  Logger,
  MessageStream,
  MultiaddrConnection,
  StreamCloseEvent,
} from '@libp2p/interface';
import { AbstractMultiaddrConnection, byteStream } from '@libp2p/utils';
import { createSalsaStream, type StreamCipher } from './salsa-stream.ts';

const keyBytes = 32;
const nonceBytes = 24;

/** Connection whose bytes are encrypted with the key of a private network. */
class PrivateConnection extends AbstractMultiaddrConnection {
  readonly #connection: MultiaddrConnection;
  readonly #encrypt: StreamCipher;

  constructor(connection: MultiaddrConnection, log: Logger, ciphers: Record<'encrypt' | 'decrypt', StreamCipher>) {
    super({ remoteAddr: connection.remoteAddr, direction: connection.direction, log });
    this.#connection = connection;
    this.#encrypt = ciphers.encrypt;
    connection.addEventListener('message', ({ data }) => {
      try {
        this.onData(ciphers.decrypt(data.subarray()));
      } catch (error) {
        // An error in a listener would end the process.
        this.abort(error instanceof Error ? error : new Error(String(error)));
      }
    });
    connection.addEventListener('drain', () => this.onMuxerDrain());
    connection.addEventListener('close', (event) => this.#onClose(event));
  }

  #onClose({ error, local }: StreamCloseEvent): void {
    if (error === undefined) this.onTransportClosed();
    else if (local === true) this.abort(error);
    else this.onRemoteReset();
  }

  async sendClose(options?: AbortOptions): Promise<void> {
    await this.#connection.close(options);
  }

  sendData(data: Parameters<AbstractMultiaddrConnection['sendData']>[0]) {
    return { sentBytes: data.byteLength, canSendMore: this.#connection.send(this.#encrypt(data.subarray())) };
  }

  sendReset(error: Error): void {
    this.#connection.abort(error);
  }

  sendPause(): void {
    this.#connection.pause();
  }

  sendResume(): void {
    this.#connection.resume();
  }
}

/**
 * Protects connections with the 32 bytes of a swarm key, as `@libp2p/pnet` does: each side sends a nonce, and the bytes after it
 * are encrypted with XSalsa20.
 */
export function privateNetwork(key: Uint8Array): () => ConnectionProtector {
  if (key.length !== keyBytes)
    throw new RangeError(`The key of a private network has ${key.length} bytes. Pass its ${keyBytes} bytes.`);
  return () => ({
    async protect(connection: MessageStream, options: AbortOptions = { signal: timeLimit(1000) }) {
      if (!isMultiaddrConnection(connection)) throw new TypeError('A protected connection needs a remote address.');
      const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes));
      const bytes = byteStream(connection);
      const [received] = await Promise.all([
        bytes.read({ bytes: nonceBytes, ...options }),
        bytes.write(nonce, options),
      ]);
      return new PrivateConnection(bytes.unwrap(), connection.log.newScope('pnet'), {
        encrypt: createSalsaStream({ key, nonce }),
        decrypt: createSalsaStream({ key, nonce: received.subarray() }),
      });
    },
  });
}

function isMultiaddrConnection(connection: MessageStream): connection is MultiaddrConnection {
  return 'remoteAddr' in connection;
}

import { connect } from 'node:net';

/** Request of {@link receive}: the port of a server on this machine, a path, and the version of HTTP. */
interface RawRequest {
  readonly port: number;
  readonly path: string;
  readonly version: '1.0' | '1.1';
}

/** Sends a request and returns the received bytes with the error of the connection, if there is one. */
export async function receive({ port, path, version }: RawRequest) {
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET ${path} HTTP/${version}\r\nHost: x\r\n\r\n`);
  let text = '';
  let code: string | undefined;
  socket.setEncoding('latin1').on('data', (part) => {
    text += part;
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    code = error.code;
  });
  await new Promise((resolve) => socket.once('close', resolve));
  return { text, code };
}

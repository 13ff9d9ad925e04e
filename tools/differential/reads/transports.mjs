import { WebSocket } from 'ws';

const headers = { 'content-type': 'application/json' };

/** Sends a body over HTTP; returns the parsed answer, or undefined for none. */
export async function overHttp(url, body) {
  const text = await (await fetch(url, { method: 'POST', headers, body })).text();
  return text === '' ? undefined : JSON.parse(text);
}

/** Opens a WebSocket that answers bodies in order. */
export async function openSocket(url) {
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return {
    send: (body) =>
      new Promise((resolve, reject) => {
        const take = (data) => {
          const answer = JSON.parse(data.toString());
          if (answer.method === 'eth_subscription') return;
          socket.off('message', take).off('error', reject);
          resolve(answer);
        };
        socket.on('message', take).once('error', reject);
        socket.send(body);
      }),
    close: () => socket.terminate(),
  };
}

// Thread that sends light requests to a service repeatedly on one connection, as another client.
import { connect } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { threadTime } from './process-stat.mjs';

const { port, pid, request } = workerData;
const service = `/proc/${pid}/task/${pid}`;
const head = Buffer.from(request, 'latin1');
/** Pause between probes in milliseconds: they take a few hundredths of a processor. */
const pauseMs = 5;

let worst = empty();
let socket;
let asked;
let received = '';

function empty() {
  return { count: 0, failed: 0, stallMs: 0, runMs: 0, wallMs: 0 };
}

function open() {
  socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.setEncoding('latin1');
  socket.on('connect', ask);
  socket.on('data', (text) => {
    received += text;
    if (isWhole(received)) finish(/^HTTP\/1\.1 200 /.test(received));
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    if (asked !== undefined) finish(false);
    setTimeout(open, 20);
  });
}

function isWhole(text) {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return false;
  const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
  return text.length >= end + 4 + length;
}

function ask() {
  if (socket.destroyed) return;
  received = '';
  asked = { at: performance.now(), own: threadTime('/proc/thread-self'), service: serviceTime() };
  socket.write(head);
}

function serviceTime() {
  try {
    return threadTime(service);
  } catch {
    return { runMs: 0, delayMs: 0 };
  }
}

function finish(isOk) {
  measure();
  worst.count++;
  if (!isOk) worst.failed++;
  asked = undefined;
  if (!socket.destroyed) setTimeout(ask, pauseMs);
}

/** Takes the time of the current probe, without the time in which either thread waited for a processor. */
function measure() {
  if (asked === undefined) return;
  const wallMs = performance.now() - asked.at;
  const after = serviceTime();
  const delayMs = after.delayMs - asked.service.delayMs + threadTime('/proc/thread-self').delayMs - asked.own.delayMs;
  const runMs = after.runMs - asked.service.runMs;
  worst.stallMs = Math.max(worst.stallMs, Math.min(wallMs, Math.max(runMs, wallMs - delayMs)));
  worst.runMs = Math.max(worst.runMs, runMs);
  worst.wallMs = Math.max(worst.wallMs, wallMs);
}

parentPort.on('message', (id) => {
  // A waiting probe counts with its wait so far.
  measure();
  parentPort.postMessage({ id, ...worst });
  worst = empty();
});
open();

import { Worker } from 'node:worker_threads';
import { processMemory, processTime, resetPeak, threadTime } from './process-stat.mjs';
import { send } from './send.mjs';

/** Processor share below which the main thread of a service counts as idle, including the probes that it answers. */
const quietShare = 0.3;
const quietEveryMs = 20;
/** Time limit of work after a request; longer work is reported as it is. */
const quietWithinMs = 10_000;
/** Time limit for the log line of the request. */
const logWithinMs = 300;

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Measures what one request costs a service, seen from another client.
 * @param service from `services.mjs`
 * @param probe a whole HTTP request of another account, as text
 */
export function createMeter({ service, probe }) {
  const { pid, port, log } = service;
  const main = `/proc/${pid}/task/${pid}`;
  const thread = new Worker(new URL('./probe-thread.mjs', import.meta.url), {
    workerData: { port, pid, request: probe },
  });
  let asked = 0;
  const take = () =>
    new Promise((resolve) => {
      const id = ++asked;
      const onMessage = (message) => {
        if (message.id !== id) return;
        thread.off('message', onMessage);
        resolve(message);
      };
      thread.on('message', onMessage);
      thread.postMessage(id);
    });

  /** Resolves with the milliseconds until the main thread is idle. */
  async function quiet() {
    const start = performance.now();
    for (;;) {
      const before = threadTime(main).runMs;
      await sleep(quietEveryMs);
      const now = performance.now();
      if (threadTime(main).runMs - before < quietEveryMs * quietShare || now - start > quietWithinMs)
        return Math.max(0, now - start - quietEveryMs);
    }
  }

  async function measure(request, { deadlineMs = 3000 } = {}) {
    await quiet();
    const hasReset = resetPeak(pid);
    const before = { cpuMs: processTime(pid), mainMs: threadTime(main).runMs, memory: processMemory(pid) };
    const from = log.mark();
    await take();
    const answer = await send(request, { port, deadlineMs });
    const afterMs = await quiet();
    const felt = await take();
    const memory = processMemory(pid);
    const entries = await entriesOf(request, from);
    return {
      status: answer.status,
      isAborted: answer.isAborted,
      bytesIn: answer.bytesIn,
      bytesOut: answer.bytesOut,
      excerpt: answer.excerpt,
      durationMs: answer.durationMs,
      /**
       * Longest main-thread time during one light request of another account: the blocking of the event loop without
       * the load of the machine.
       */
      blockMs: felt.runMs,
      /**
       * Longest wait of a light request, without time in which its thread or that of the service was ready but had no
       * processor.
       */
      stallMs: felt.stallMs,
      probes: { count: felt.count, failed: felt.failed },
      mainMs: threadTime(main).runMs - before.mainMs,
      cpuMs: processTime(pid) - before.cpuMs,
      /** Milliseconds of work after the answer, or after the client disconnected. */
      afterMs,
      memoryMib: hasReset ? Math.max(0, memory.peakMib - before.memory.residentMib) : 0,
      credits: entries.reduce((sum, entry) => sum + (entry.credits ?? 0), 0),
      errors: log.errorsSince(from),
    };
  }

  /** Log lines about a request; a request that the HTTP parser refused has none. */
  async function entriesOf(request, from) {
    const end = performance.now() + logWithinMs;
    const count = request.message === undefined ? 1 : 2;
    for (;;) {
      const isOne = ({ account, credits }) => account === request.account && credits !== undefined;
      const entries = log.since(from).filter(isOne);
      if (entries.length >= count || performance.now() > end) return entries;
      await sleep(10);
    }
  }

  return { measure, quiet, close: () => thread.terminate() };
}

/** Figures that the load of the machine can only increase. */
const noisy = ['blockMs', 'stallMs', 'mainMs', 'cpuMs', 'memoryMib', 'afterMs', 'durationMs'];

/** Combines several measurements of one request: the smallest of each figure. */
export function smallestOf(results) {
  const [first] = results;
  return {
    ...first,
    ...Object.fromEntries(noisy.map((name) => [name, Math.min(...results.map((each) => each[name]))])),
  };
}

/**
 * Cost of a request, which the search maximizes: the blocking of the event loop in milliseconds, and its use of the
 * main thread (milliseconds) and of memory (MiB) per credit. Time of worker threads is reported and not counted:
 * accounts have shares of it.
 */
export function costOf({ blockMs, mainMs, memoryMib, credits }) {
  return blockMs + (mainMs + memoryMib) / Math.max(1, credits);
}

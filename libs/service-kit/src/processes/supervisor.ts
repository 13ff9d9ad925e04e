import cluster, { type Worker } from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Dependency } from '../health.ts';
import type { Logger } from '../logger.ts';
import { passLostConnections } from './lost-connections.ts';
import { type FromWorker, type MetricsJson, type ToWorker, type WorkerStart, workerVariable } from './messages.ts';
import { type HubMember, PrimaryHub } from './primary-hub.ts';
import type { SharedFunctions } from './process-group.ts';

const processLimits = {
  /** Pause before a replacement starts: doubles with each failure of the same place, and resets after a minute of life. */
  backoffMs: 100,
  backoffMsMax: 30_000,
  forgetAfterMs: 60_000,
  /** Time that the first process has to get ready before the others start beside it, and the pause between two questions. */
  readyWithinMs: 15_000,
  readyPollMs: 200,
  /** Time for a replacement to listen during a rolling replacement. Then the old process stays. */
  listensWithinMs: 60_000,
  /** Time that an old process has to drain before it is killed. Its own drain takes 13 s at most. */
  drainsWithinMs: 30_000,
} as const;

/**
 * The C library gives threads heaps of their own, up to 8 for each core, whose free memory others cannot use: a tenth of the memory
 * of a gateway, measured by the memory rows of tools/bench/peers.mjs. A setting of the operator has precedence.
 */
const mallocSettings = { MALLOC_ARENA_MAX: process.env.MALLOC_ARENA_MAX ?? '2' };

/** Ends a process quietly that starts while its primary process is killed. */
const quietOrphanFile = fileURLToPath(new URL('./quiet-orphan.cjs', import.meta.url));

/** Worker process in its place. */
interface Member extends HubMember {
  readonly worker: Worker;
  readonly slot: number;
  readonly startedAt: number;
  /** Reads messages. */
  isOpen: boolean;
  isListening: boolean;
  /** Asked to end: it is not replaced. */
  isEnding: boolean;
}

export interface SupervisorOptions {
  readonly count: number;
  readonly shared: SharedFunctions;
  readonly logger: Logger;
  /** Called with the port when the first process listens. */
  readonly onListening: (port: number) => void;
  /** Called when no process has listened and one has ended: its message is in the log. */
  readonly onStartFailed: (exitCode: number) => void;
  /** Called with the last metrics of a process that has ended. */
  readonly onLost: (metrics: MetricsJson) => void;
}

/**
 * Runs the worker processes of a service: starts them, replaces those that end, names the leading one, and replaces all
 * of them one after the other on request.
 */
export class Supervisor {
  readonly hub: PrimaryHub;
  /** Processes that ended without being asked. */
  crashes = 0;
  readonly #options: SupervisorOptions;
  readonly #members = new Set<Member>();
  readonly #failures = new Map<number, number>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #leader: Member | undefined;
  #hasListened = false;
  #isStopping = false;
  #isClean = true;
  #rolling: Promise<boolean> | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.hub = new PrimaryHub(options);
    const execArgv = [...process.execArgv, '--require', quietOrphanFile];
    cluster.setupPrimary({ serialization: 'advanced', execArgv });
  }

  /**
   * Starts the first process. The others follow when it is ready, or after 15 s: beside it they would delay it, since they load the
   * same modules and wait for the same stores.
   */
  start(): void {
    this.#fork(1);
  }

  /** Processes that listen. */
  get serving(): number {
    return [...this.#members].filter(({ isListening, isEnding }) => isListening && !isEnding).length;
  }

  /** Reports whether another process takes connections. One that has just ended may still be a member. */
  #servesBeside(ended: Member): boolean {
    return [...this.#members].some(
      (member) => member !== ended && member.isListening && !member.isEnding && member.worker.isConnected(),
    );
  }

  /** Dependencies of the service. A problem that only some processes have is a warning: the others serve. */
  async dependencies(): Promise<readonly Dependency[]> {
    const serving = [...this.#members].filter(({ isListening, isEnding }) => isListening && !isEnding);
    const answers = await Promise.all(serving.map((member) => this.hub.dependenciesOf(member)));
    const given = answers.filter((answer) => answer !== undefined);
    if (given.length === 0) return [{ name: 'service', problem: 'no process of the service answers' }];
    const healthy = given.find((each) => each.every(({ problem }) => problem === undefined));
    const rest = given.flat().filter(({ problem, warning }) => (problem ?? warning) !== undefined);
    if (healthy === undefined) return given[0] ?? [];
    const problems = new Map(rest.map(({ name, problem, warning }) => [name, problem ?? warning]));
    return healthy.map(({ name }) => ({ name, warning: problems.get(name) }));
  }

  /** Ends all processes. Resolves with whether all of them ended cleanly. */
  async stop(): Promise<boolean> {
    this.#isStopping = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all([...this.#members].map((member) => this.#end(member, { lingers: false })));
    return this.#isClean;
  }

  /** Ends all processes without a drain. */
  kill(): void {
    for (const { worker } of this.#members) worker.process.kill('SIGKILL');
  }

  /**
   * Replaces all processes one after the other. A new one listens before the old one ends, so that no request fails.
   * Resolves with false if a replacement does not start; the old process stays then.
   */
  roll(): Promise<boolean> {
    this.#rolling ??= this.#rollAll().finally(() => {
      this.#rolling = undefined;
    });
    return this.#rolling;
  }

  async #rollAll(): Promise<boolean> {
    const staying = [...this.#members].filter(({ isEnding }) => !isEnding);
    // The leading one last, so that its work moves once, and to a new process.
    for (const old of staying.sort((one) => (one === this.#leader ? 1 : -1))) {
      if (this.#isStopping) return false;
      const next = this.#fork(old.slot);
      if (await this.#listens(next)) {
        await this.#end(old, { lingers: true });
        continue;
      }
      next.isEnding = true;
      next.worker.process.kill('SIGKILL');
      // The old process may have ended meanwhile.
      if (!this.#members.has(old) && !this.#isStopping) this.#fork(old.slot);
      return false;
    }
    return true;
  }

  #listens(member: Member): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (isListening: boolean) => {
        clearTimeout(timer);
        member.worker.off('exit', onExit).off('message', onMessage);
        resolve(isListening);
      };
      const onExit = () => settle(false);
      const onMessage = ({ kind }: FromWorker) => {
        if (kind === 'listening') settle(true);
      };
      const timer = setTimeout(onExit, processLimits.listensWithinMs);
      member.worker.on('exit', onExit).on('message', onMessage);
    });
  }

  async #end(member: Member, { lingers }: { readonly lingers: boolean }): Promise<void> {
    member.isEnding = true;
    if (member.worker.isDead()) return;
    const killing = setTimeout(() => member.worker.process.kill('SIGKILL'), processLimits.drainsWithinMs);
    const ended = new Promise((resolve) => member.worker.once('exit', resolve));
    // A process that has not loaded its modules handles no message; the signal ends it.
    if (member.isListening) member.send({ kind: 'drain', lingers });
    else member.worker.process.kill('SIGTERM');
    await ended;
    clearTimeout(killing);
  }

  #fork(slot: number): Member {
    const { count } = this.#options;
    const start: WorkerStart = {
      slot,
      count,
      leads: this.#leader === undefined,
      listensWhenReady: this.#hasListened,
    };
    const worker = cluster.fork({ ...mallocSettings, [workerVariable]: JSON.stringify(start) });
    const member: Member = {
      worker,
      slot,
      startedAt: performance.now(),
      isOpen: false,
      isListening: false,
      isEnding: false,
      send: (message: ToWorker) => {
        // A process may end while a message is sent to it; its exit follows.
        if (worker.isConnected()) worker.send(message, () => {});
      },
    };
    if (start.leads) this.#leader = member;
    this.#members.add(member);
    passLostConnections(worker.process, () => this.#servesBeside(member));
    worker.on('message', (message: FromWorker) => this.#receive(member, message));
    worker.on('error', () => {});
    worker.once('exit', (code, signal) => this.#onExit(member, code, signal));
    return member;
  }

  #receive(member: Member, message: FromWorker): void {
    this.hub.receive(member, message);
    if (message.kind === 'open') {
      member.isOpen = true;
      this.hub.add(member);
      // The process may have become the leading one since it was started.
      if (member === this.#leader) member.send({ kind: 'lead' });
    }
    if (message.kind !== 'listening') return;
    member.isListening = true;
    if (this.#hasListened) return;
    this.#hasListened = true;
    this.#options.onListening(message.port);
    void this.#startOthers();
  }

  async #startOthers(): Promise<void> {
    const { readyWithinMs, readyPollMs } = processLimits;
    const until = performance.now() + readyWithinMs;
    while (!this.#isStopping && performance.now() < until && !(await this.#isReady()))
      await pause(readyPollMs, undefined, { ref: false });
    for (let slot = 2; slot <= this.#options.count && !this.#isStopping; slot++) this.#fork(slot);
  }

  async #isReady(): Promise<boolean> {
    return (await this.dependencies()).every(({ problem }) => problem === undefined);
  }

  #onExit(member: Member, code: number | null, signal: string | null): void {
    this.#members.delete(member);
    this.hub.remove(member);
    // The signal ends a process that does not listen yet: it has no requests to drain.
    if (code !== 0 && this.#isStopping && member.isListening) this.#isClean = false;
    if (member === this.#leader) this.#nameLeader();
    // During a rolling replacement another process has the place already.
    const isReplaced = [...this.#members].some(({ slot, isEnding }) => slot === member.slot && !isEnding);
    if (member.isEnding || isReplaced || this.#isStopping) return;
    const { logger, onStartFailed } = this.#options;
    if (!this.#hasListened) {
      onStartFailed(code ?? 1);
      return;
    }
    this.crashes++;
    const { backoffMs, backoffMsMax, forgetAfterMs } = processLimits;
    const isLongLived = performance.now() - member.startedAt > forgetAfterMs;
    const failures = isLongLived ? 0 : (this.#failures.get(member.slot) ?? 0);
    this.#failures.set(member.slot, failures + 1);
    const pauseMs = Math.min(backoffMsMax, backoffMs * 2 ** Math.min(failures, 16));
    const { slot, worker } = member;
    // LMDB maps data files: a page that is no longer in the file cannot be read.
    const hint =
      signal === 'SIGBUS'
        ? 'A data file was truncated or its disk failed. Look at the message of the next start.'
        : undefined;
    logger.error({ slot, pid: worker.process.pid, code, signal, pauseMs, hint }, 'a process ended; it is replaced');
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (!this.#isStopping) this.#fork(slot);
    }, pauseMs);
    this.#timers.add(timer);
  }

  /** Names another leading process, preferably one that serves. Without one, the next process that starts leads. */
  #nameLeader(): void {
    const staying = [...this.#members].filter(({ isEnding }) => !isEnding);
    this.#leader = staying.find(({ isListening }) => isListening) ?? staying[0];
    if (this.#leader?.isOpen) this.#leader.send({ kind: 'lead' });
  }
}

/** Options of {@link ProcessGroup.publish}. */
export interface PublishOptions {
  /** Newest values of the topic that processes get which start later. Default 0. */
  readonly keep?: number;
}

/** Processes of one service that share its port, as one of them sees them. */
export interface ProcessGroup {
  /** Processes that the service runs as. Limits of memory and of concurrent work are divided by it. */
  readonly count: number;
  /**
   * Calls `start` in the one process that leads, for work that one process does: immediately in the first process, later in
   * another one after the leading process has ended. The work ends with its process.
   */
  whenLeading(start: () => void): void;
  /** Sends a value to the other processes. It can be everything that a structured clone copies. */
  publish(topic: string, value: unknown, options?: PublishOptions): void;
  /** Sends a value to the other processes. Resolves when their listeners have handled it, or after a second. */
  inform(topic: string, value: unknown): Promise<void>;
  /** Calls the listener with each value that another process sends, and with the kept ones. */
  subscribe(topic: string, listener: (value: unknown) => unknown): void;
  /**
   * Calls a function of {@link SharedFunctions}, whose state survives the end of any process but the primary one.
   * @throws PROCESS_CALL_FAILED
   */
  call(name: string, ...parameters: readonly unknown[]): Promise<unknown>;
}

/** Functions over state that all processes of a service share. They run in the primary process. */
export type SharedFunctions = Readonly<Record<string, (...parameters: never[]) => unknown>>;

/** Divides a limit of the whole service among its processes. */
export function shareOf(total: number, { count }: Pick<ProcessGroup, 'count'>): number {
  return Math.max(1, Math.floor(total / count));
}

/** The group of a service that runs as one process: it leads, and others never listen. */
export const singleProcess: ProcessGroup = {
  count: 1,
  whenLeading: (start) => start(),
  publish: () => {},
  inform: async () => {},
  subscribe: () => {},
  call: () => Promise.reject(new Error('A service of one process holds its state itself.')),
};

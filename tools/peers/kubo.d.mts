export interface Kubo {
  /** Without /api/v0. */
  readonly url: string;
  readonly multiaddr: string;
  readonly repository: string;
  readonly binary: string;
  readonly pid: number;
  output(): string;
  stop(): Promise<void>;
}
export declare function startKubo(options?: {
  readonly isOffline?: boolean;
  readonly config?: (config: Record<string, unknown>) => void;
  readonly env?: Readonly<Record<string, string>>;
  readonly swarmKey?: string;
}): Promise<Kubo | undefined>;

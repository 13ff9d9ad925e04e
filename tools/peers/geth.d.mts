export interface Geth {
  readonly url: string;
  /** Names the blocks that are the head, safe and final, as a consensus client does. */
  readonly setForkChoice: (state: Readonly<Record<string, string>>) => Promise<void>;
  readonly webSocketUrl: string;
  readonly binary: string;
  readonly pid: number;
  output(): string;
  stop(): Promise<void>;
}
export declare function startGeth(chain: {
  readonly genesis: string;
  readonly blocks?: string;
  readonly gasCap?: number;
  readonly allowsUnprotected?: boolean;
}): Promise<Geth | undefined>;

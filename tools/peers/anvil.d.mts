export interface Anvil {
  readonly url: string;
  output(): string;
  stop(): Promise<void>;
}
export declare function startAnvil(chain: {
  readonly genesis?: string;
  readonly forkUrl?: string;
  readonly hardfork?: string;
}): Promise<Anvil>;
export declare function runCast(...args: readonly string[]): Promise<string>;
export declare const version: string;

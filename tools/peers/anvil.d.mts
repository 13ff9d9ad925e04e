export interface Anvil {
  readonly url: string;
  output(): string;
  stop(): Promise<void>;
}
export declare function startAnvil(chain: { readonly genesis: string; readonly hardfork?: string }): Promise<Anvil>;
export declare const version: string;

export declare const peerNames: readonly string[];
export declare function peer(name: 'kubo' | 'geth'): {
  readonly name: string;
  readonly version: string;
  readonly directory: URL;
  readonly package: string;
  readonly path: string;
};
export declare function peerBinary(name: 'kubo' | 'geth'): string | undefined;
export declare function howToEnable(name: 'kubo' | 'geth'): string;

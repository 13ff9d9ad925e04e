import type { NetworkAnswer } from './network-answer.ts';

/** Names of the settings that hold ports, with the words of the questions. */
export const portQuestions = {
  STORAGE_API_PORT: 'Port of the storage API',
  RPC_GATEWAY_PORT: 'Port of the JSON-RPC gateway',
  IPFS_GATEWAY_PORT: 'Port of the IPFS gateway',
  CONSOLE_PORT: 'Port of the console',
} as const;
export type PortName = keyof typeof portQuestions;
export const portNames = Object.keys(portQuestions) as readonly PortName[];

/** Choices of `cairn init`. */
export interface Answers {
  readonly home: string;
  /** Address that the services listen on. */
  readonly bind: string;
  readonly ports: Readonly<Record<PortName, number>>;
  /** Whether `cairn up` starts an IPFS peer. */
  readonly peer: boolean;
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  /** None: the sample network. */
  readonly networks: readonly NetworkAnswer[];
  readonly requireFrom: boolean;
}

/** Answers where nothing is given. */
export const defaultAnswers: Answers = {
  home: '.cairn',
  bind: '127.0.0.1',
  ports: { STORAGE_API_PORT: 5001, RPC_GATEWAY_PORT: 8545, IPFS_GATEWAY_PORT: 8081, CONSOLE_PORT: 8080 },
  peer: true,
  networks: [],
  requireFrom: true,
};

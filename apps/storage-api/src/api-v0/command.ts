import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal, StorageScope } from '@cairn/auth';
import type { OptionSpecs, OptionValues } from './options.ts';

/** The token of the list of all commands. */
export const COMMANDS = Symbol('COMMANDS');

/** One request of an authenticated account, its options parsed. */
export interface CommandContext<Specs extends OptionSpecs = OptionSpecs> {
  readonly principal: Principal;
  readonly args: readonly string[];
  readonly options: OptionValues<Specs>;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborts when the client goes away and when the `timeout` of the request is over. */
  readonly signal: AbortSignal;
}

/** One command of the API, `POST /api/v0/<name>`. */
export interface Command<Specs extends OptionSpecs = OptionSpecs> {
  readonly name: string;
  /** What a key must be allowed to do. */
  readonly scope: StorageScope;
  readonly options: Specs;
  /** How many `arg`s it takes, and Kubo's name of each; the last name is that of all further ones. */
  readonly args: { readonly name: string | readonly string[]; readonly min: number; readonly max: number };
  /** True for a command that answers with a reason only: no document lists it. */
  readonly isRefused?: boolean;
  /** Kubo's name of the body that the command needs, a multipart form. */
  readonly file?: string;
  /** Answers the request. What it throws before the first byte becomes Kubo's error body. */
  run(context: CommandContext<Specs>): Promise<void>;
}

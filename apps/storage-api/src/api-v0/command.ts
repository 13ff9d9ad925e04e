import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KeyGrant, Principal, StorageScope } from '@cairn/auth';
import type { OptionSpecs, OptionValues } from './options.ts';

/** Injection token of the list of all commands. */
export const COMMANDS = Symbol('COMMANDS');

/** One request of an authenticated account, its options parsed. */
export interface CommandContext<Specs extends OptionSpecs = OptionSpecs> {
  readonly principal: Principal;
  readonly args: readonly string[];
  readonly options: OptionValues<Specs>;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborts when the client closes the connection and at the `timeout` of the request. */
  readonly signal: AbortSignal;
}

/** One command of the API, `POST /api/v0/<name>`. */
export interface Command<Specs extends OptionSpecs = OptionSpecs> {
  readonly name: string;
  /** Scope that a key needs. */
  readonly scope: StorageScope;
  /** Permission that a key needs beside the scope. No key has it by default. */
  readonly grant?: KeyGrant | undefined;
  readonly options: Specs;
  /** Number of `arg`s, and Kubo's name of each; the last name is that of all further ones. */
  readonly args: { readonly name: string | readonly string[]; readonly min: number; readonly max: number };
  /** True for a command that only gives a reason. No document lists it. */
  readonly isRefused?: boolean;
  /** True for a command whose reads never leave the machine, as in Kubo. */
  readonly isLocal?: boolean;
  /** True for a command that removes or lists content and returns none of its bytes. It works on denied content, too. */
  readonly worksOnDenied?: boolean;
  /** Kubo's name of the body that the command needs, a multipart form. */
  readonly file?: string;
  /** Answers the request. An error before the first byte becomes Kubo's error body. */
  run(context: CommandContext<Specs>): Promise<void>;
}

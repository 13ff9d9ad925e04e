import { ApiError } from '../api-error.ts';
import type { Command } from '../command.ts';
import { type Refusal, refusals } from './refusals.ts';

/** A command of Kubo that a shared service does not offer. Its response is Kubo's error body with the reason. */
export class RefusedCommand implements Command<Record<never, never>> {
  readonly scope = 'read';
  readonly options = {};
  readonly isRefused = true;
  readonly name: string;
  readonly args: Command['args'];
  readonly #refusal: Refusal;

  constructor(name: string, refusal: Refusal) {
    this.name = name;
    this.#refusal = refusal;
    const { argument } = refusal;
    this.args = { name: argument ?? '', min: argument === undefined ? 0 : 1, max: 1 };
  }

  async run(): Promise<void> {
    const { isClientError, message } = this.#refusal;
    throw new ApiError(isClientError ? 400 : 500, message);
  }
}

export const refusedCommands: readonly RefusedCommand[] = [...refusals].map(
  ([name, refusal]) => new RefusedCommand(name, refusal),
);

import { errorText } from '@cairn/errors';
import { ApiError } from '../api-error.ts';
import { apiErrorFrom } from '../error-policy.ts';

/** Runs a step and prefixes its error with the step, as Kubo does: `cp: …: file does not exist`. */
export async function withErrorPrefix<T>(what: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    const known = apiErrorFrom(error);
    if (known === undefined) throw error;
    throw new ApiError(known.status, `${what.slice(0, 300)}: ${known.message || errorText(error)}`);
  }
}

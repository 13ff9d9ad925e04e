import { errorText } from '@cairn/errors';
import { ApiError } from '../api-error.ts';
import { apiErrorFrom } from '../error-policy.ts';

/** Runs a step; what goes wrong in it is told with what the step was for, in Kubo's way: `cp: …: file does not exist`. */
export async function explained<T>(what: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    const told = apiErrorFrom(error);
    if (told === undefined) throw error;
    throw new ApiError(told.status, `${what.slice(0, 300)}: ${told.message || errorText(error)}`);
  }
}

import { AuthError } from '@cairn/auth';
import type { z } from 'zod';

/** Parses the input of a page. @throws VALUE_INVALID with the field */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body ?? {});
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') || 'body';
  throw new AuthError('VALUE_INVALID', `${field}: ${issue?.message ?? 'not valid'}.`, { details: { field } });
}

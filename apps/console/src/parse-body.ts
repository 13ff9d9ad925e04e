import { AuthError } from '@cairn/auth';
import type { z } from 'zod';

/** Reads what a page sends. @throws VALUE_INVALID naming the field */
export function parseBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body ?? {});
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') || 'body';
  throw new AuthError('VALUE_INVALID', `${field}: ${issue?.message ?? 'not as expected'}.`, { details: { field } });
}

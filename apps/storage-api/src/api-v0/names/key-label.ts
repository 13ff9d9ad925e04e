import { ipnsLimits } from '@cairn/ipns';
import { ApiError } from '../api-error.ts';

/** @throws ApiError 500 for an empty label, 400 for a long one */
export function checkLabel(label: string): string {
  if (label === '') throw new ApiError(500, 'key name must be at least one character');
  if (label.length > ipnsLimits.labelCharactersMax)
    throw new ApiError(400, `key name has ${label.length} characters; use ${ipnsLimits.labelCharactersMax} at most`);
  return label;
}

import { ApiError } from '../api-error.ts';

/** Longest name of a pin in bytes of UTF-8, as in Kubo. */
const pinNameBytesMax = 255;

/** Checks the name of a pin, or the text that a listing searches for in names. @throws ApiError 400 */
export function checkPinName(name: string | undefined): void {
  const bytes = Buffer.byteLength(name ?? '');
  if (bytes > pinNameBytesMax) throw new ApiError(400, `pin name is ${bytes} bytes (max ${pinNameBytesMax} bytes)`);
}

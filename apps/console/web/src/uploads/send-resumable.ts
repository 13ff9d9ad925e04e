import { DetailedError, Upload } from 'tus-js-client';
import { ApiError, api, guardHeaders } from '../api.ts';
import type { SendOptions, StoredUpload } from './send-options.ts';

/** Bytes of one request. Its receipt confirms them, also through proxies that keep whole bodies. */
const partBytes = 32 * 1024 * 1024;
/** Waits before the parts are sent again, in milliseconds. */
const retryDelays = [500, 1000, 2000, 4000, 8000, 15_000, 30_000];

/**
 * Sends a file by the tus protocol, then adds it. A file that this browser began to send before is continued.
 * @throws ApiError, or the reason of the signal
 */
export async function sendResumable(
  file: File,
  { name, signal, onProgress }: { readonly name: string } & Omit<SendOptions, 'ignoresQuota'>,
): Promise<StoredUpload> {
  const url = await received(file, { signal, onProgress });
  const path = new URL(url, location.origin).pathname.slice('/api/'.length);
  return await api<StoredUpload>(`${path}/add`, { method: 'POST', body: { name } });
}

/** Sends all bytes. @returns the address of the upload */
function received(file: File, { signal, onProgress }: Pick<SendOptions, 'signal' | 'onProgress'>): Promise<string> {
  return new Promise((resolve, reject) => {
    const upload = new Upload(file, {
      endpoint: '/api/tus',
      headers: { ...guardHeaders },
      chunkSize: partBytes,
      retryDelays,
      removeFingerprintOnSuccess: true,
      onProgress: (sent) => onProgress(sent),
      onSuccess: () => (upload.url === null ? reject(lost()) : resolve(upload.url)),
      onError: (error) => reject(errorOf(error)),
    });
    // The bytes stay at the console, so that a retry continues.
    signal.addEventListener('abort', () => {
      void upload.abort();
      reject(signal.reason);
    });
    upload.findPreviousUploads().then(([earlier]) => {
      if (earlier !== undefined) upload.resumeFromPreviousUpload(earlier);
      if (!signal.aborted) upload.start();
    }, reject);
  });
}

function errorOf(error: Error | DetailedError): ApiError {
  const response = error instanceof DetailedError ? error.originalResponse : null;
  if (response === null) return lost();
  try {
    const { error: body } = JSON.parse(response.getBody()) as { readonly error?: object };
    return new ApiError(response.getStatus(), body ?? {});
  } catch {
    return new ApiError(response.getStatus(), { message: response.getBody().trim().slice(0, 200) });
  }
}

function lost(): ApiError {
  return new ApiError(503, {
    message: 'The connection was lost.',
    hint: 'Retry: the upload continues where it stopped.',
  });
}

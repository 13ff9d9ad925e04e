import { ApiError, api, guardHeaders } from '../api.ts';
import type { SendOptions, StoredUpload } from './send-options.ts';
import type { UploadSource } from './upload-source.ts';

/** State of an upload at the console, readable during the transfer. */
type RemoteState =
  | { readonly state: 'announced' | 'receiving' }
  | { readonly state: 'stored'; readonly cid: string }
  | { readonly state: 'refused'; readonly status: number; readonly error: object };

/** Polling interval for the state of an upload, in milliseconds. Browsers read no answer before they have sent the whole body. */
const lookEveryMs = 2000;
/** Longest name of a pin, in bytes of UTF-8. */
const pinNameBytesMax = 255;

/** Files from this size on are sent by a protocol that continues after a lost connection. */
const resumableBytesMin = 256 * 1024 * 1024;

/** Announces and sends an upload. @throws ApiError, or the reason of the signal */
export async function sendUpload(source: UploadSource, options: SendOptions): Promise<StoredUpload> {
  const { signal, ignoresQuota } = options;
  const { name, bytes, kind, files } = source;
  const { id } = await api<{ readonly id: string }>('uploads', {
    method: 'POST',
    body: { name: name.slice(0, 1024), bytes, ignoresQuota },
  });
  signal.throwIfAborted();
  const [only] = files;
  if (kind === 'file' && only !== undefined && bytes >= resumableBytesMin && !ignoresQuota) {
    // Loaded on demand: few files are that large.
    const { sendResumable } = await import('./send-resumable.ts');
    return await sendResumable(only.file, { name: pinNameOf(name), ...options });
  }
  const ended = new AbortController();
  try {
    return await Promise.race([post(id, source, options, ended.signal), refusalOf(id, ended.signal)]);
  } finally {
    ended.abort();
  }
}

/** Sends the body by XMLHttpRequest, since fetch reports no upload progress. */
function post(id: string, source: UploadSource, { signal, onProgress }: SendOptions, ended: AbortSignal) {
  return new Promise<StoredUpload>((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', `/api/files?${queryOf(id, source)}`);
    for (const [name, value] of Object.entries(guardHeaders)) request.setRequestHeader(name, value);
    request.responseType = 'json';
    request.upload.onprogress = ({ loaded }) => onProgress(loaded);
    request.onload = () => {
      const answer = request.response as (StoredUpload & { readonly error?: object }) | null;
      if (request.status === 200 && answer) resolve(answer);
      else reject(new ApiError(request.status, answer?.error ?? {}));
    };
    request.onerror = () => {
      outcomeOf(id).then((stored) => {
        if (stored) resolve(stored);
        else reject(new ApiError(503, { message: 'The connection was lost.', hint: 'Check it, then retry.' }));
      }, reject);
    };
    const abort = () => request.abort();
    signal.addEventListener('abort', () => {
      abort();
      reject(signal.reason);
    });
    // A refused upload needs no further bytes.
    ended.addEventListener('abort', abort);
    request.send(formOf(source));
  });
}

function queryOf(id: string, { name, kind }: UploadSource): URLSearchParams {
  const pinName = pinNameOf(name);
  return new URLSearchParams({ upload: id, kind, ...(pinName !== '' && { name: pinName }) });
}

/** Name of the pin; empty if the name is too long for one. */
function pinNameOf(name: string): string {
  return new TextEncoder().encode(name).length <= pinNameBytesMax ? name : '';
}

/** Escapes a path as Kubo's clients do, since the API decodes `%` and `+`. */
function formOf({ files, emptyFolders }: UploadSource): FormData {
  const form = new FormData();
  for (const path of emptyFolders)
    form.append('file', new Blob([], { type: 'application/x-directory' }), encodeURIComponent(path));
  for (const { path, file } of files) form.append('file', file, encodeURIComponent(path));
  return form;
}

/** Polls for a refusal. Never resolves. @throws ApiError when the upload is refused */
async function refusalOf(id: string, ended: AbortSignal): Promise<never> {
  while (true) {
    await new Promise<void>((resolve) => setTimeout(resolve, lookEveryMs));
    if (ended.aborted) return await new Promise<never>(() => {});
    await outcomeOf(id);
  }
}

/** CID of a stored upload. Undefined while it is in transit or unknown. @throws ApiError when it is refused */
async function outcomeOf(id: string): Promise<StoredUpload | undefined> {
  const remote = await api<RemoteState>(`uploads/${id}`).catch((error: unknown) => {
    // Signed out: the upload will not be stored.
    if (error instanceof ApiError && error.status === 401) throw error;
    return undefined;
  });
  if (remote?.state === 'refused') throw new ApiError(remote.status, remote.error);
  return remote?.state === 'stored' ? remote : undefined;
}

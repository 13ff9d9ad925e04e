import { ApiError, guardHeaders } from './api.ts';

/** Adds a file, telling how much of it is sent. fetch knows no progress of uploads. @throws ApiError */
export function upload(file: File, onProgress: (share: number) => void): Promise<{ readonly cid: string }> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', `/api/files?name=${encodeURIComponent(file.name)}`);
    for (const [name, value] of Object.entries(guardHeaders)) request.setRequestHeader(name, value);
    request.responseType = 'json';
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onerror = () => reject(new ApiError(503, { message: 'The connection was lost.' }));
    request.onload = () => {
      const answer = request.response as { readonly cid: string; readonly error?: object } | null;
      if (request.status === 200 && answer) resolve(answer);
      else reject(new ApiError(request.status, answer?.error ?? {}));
    };
    const form = new FormData();
    form.set('file', file, file.name);
    request.send(form);
  });
}

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { isUnderWay, UploadQueue } from './upload-queue.ts';

/** Upload queue of this tab. */
export const uploads = new UploadQueue();

/** Uploads of this tab, in the order of their addition. */
export function useUploads() {
  return useSyncExternalStore(uploads.subscribe, uploads.items);
}

/** Connects the queue to the page: refreshes files, warns before the tab closes, and binds it to one account. */
export function useUploadQueue(accountId: string): void {
  const queries = useQueryClient();
  const isBusy = useUploads().some(isUnderWay);
  useEffect(() => {
    uploads.onStored = () => void queries.invalidateQueries();
  }, [queries]);
  useEffect(() => uploads.belongTo(accountId), [accountId]);
  useEffect(() => {
    if (!isBusy) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isBusy]);
}

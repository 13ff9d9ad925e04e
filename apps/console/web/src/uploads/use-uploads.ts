import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { isUnderWay, UploadQueue } from './upload-queue.ts';

/** The queue of this tab. */
export const uploads = new UploadQueue();

/** The uploads of this tab, in the order in which they were added. */
export function useUploads() {
  return useSyncExternalStore(uploads.subscribe, uploads.items);
}

/** Ties the queue to what surrounds it: shows stored files, warns before the tab closes, and keeps it to one account. */
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

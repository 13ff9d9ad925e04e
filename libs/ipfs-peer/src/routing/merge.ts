/** Merges streams as their items arrive. The end of the consumer ends all of them. A failed one ends the merge. */
export async function* merge<T>(sources: readonly AsyncIterable<T>[]): AsyncGenerator<T> {
  const iterators = sources.map((source) => source[Symbol.asyncIterator]());
  const next = (iterator: AsyncIterator<T>) => iterator.next().then((result) => ({ iterator, result }));
  const pending = new Map(iterators.map((iterator) => [iterator, next(iterator)]));
  try {
    while (pending.size > 0) {
      const { iterator, result } = await Promise.race(pending.values());
      if (result.done) pending.delete(iterator);
      else {
        pending.set(iterator, next(iterator));
        yield result.value;
      }
    }
  } finally {
    for (const [iterator, promise] of pending) {
      promise.catch(() => {});
      void iterator.return?.(undefined)?.catch(() => {});
    }
  }
}

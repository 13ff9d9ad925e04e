import type { FastHandler } from '@cairn/service-kit';

/** Combines handlers of plain requests: the first one that takes a path answers. */
export function fastHandlers(...handlers: readonly FastHandler[]): FastHandler {
  const handlerOf = (path: string) => handlers.find((handler) => handler.takes(path));
  return {
    takes: (path) => handlerOf(path) !== undefined,
    answer: (request) => handlerOf(request.path)?.answer(request),
  };
}

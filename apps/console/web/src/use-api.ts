import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError, api, type Me } from './api.ts';

/** What the API has at a path, kept fresh. */
export function useApi<T>(path: string, { refreshMs }: { refreshMs?: number } = {}) {
  return useQuery<T, ApiError>({
    queryKey: [path],
    queryFn: () => api<T>(path),
    // What was shown stays until there is an answer to the next question.
    placeholderData: (before) => before,
    ...(refreshMs !== undefined && { refetchInterval: refreshMs }),
  });
}

/**
 * The member who is signed in; null without a session. A missing session is an answer, not an error: as an error without data, every
 * poll would show the loader again and unmount the sign-in form while somebody types into it.
 */
export function useMe() {
  return useQuery<Me | null, ApiError>({
    queryKey: ['me'],
    queryFn: () =>
      api<Me>('me').catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 401) return null;
        throw error;
      }),
    refetchInterval: ({ state }) => (state.data === null ? false : 5000),
  });
}

/** Changes something; then what is shown is asked for again. What is refused is told, unless the page does so itself. */
export function useChange<Input, Output = unknown>(
  change: (input: Input) => Promise<Output>,
  { done, isQuiet = false }: { done?: string; isQuiet?: boolean } = {},
) {
  const queries = useQueryClient();
  return useMutation<Output, ApiError, Input>({
    mutationFn: change,
    async onSuccess() {
      await queries.invalidateQueries();
      if (done !== undefined) notifications.show({ message: done, color: 'teal' });
    },
    onError(error) {
      if (!isQuiet) notifications.show({ title: 'That did not work', message: error.message, color: 'red' });
    },
  });
}

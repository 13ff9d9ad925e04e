import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { ApiError, api, type Me } from './api.ts';

/** Query of an API path, refreshed by polling. The interval may depend on the data. */
export function useApi<T>(
  path: string,
  { refreshMs }: { refreshMs?: number | ((data: T | undefined) => number) } = {},
) {
  return useQuery<T, ApiError>({
    queryKey: [path],
    queryFn: () => api<T>(path),
    // Keeps the previous data until the next answer arrives.
    placeholderData: (before) => before,
    ...(refreshMs !== undefined && {
      refetchInterval: ({ state }) => (typeof refreshMs === 'number' ? refreshMs : refreshMs(state.data)),
    }),
  });
}

/**
 * The signed-in member, or null without a session. A missing session is data, not an error: an error without data would show the
 * loader at every poll and unmount the sign-in form during typing.
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

/** Reports whether the member has a right within the account, so that pages hide what the service would refuse. */
export function useRight(right: Me['member']['permissions'][number]): boolean {
  const me = useMe().data;
  return me?.view === undefined && me?.member.permissions.includes(right) === true;
}

/** Mutation that refreshes all queries afterwards and shows refusals, unless the page shows them itself. */
export function useChange<Input, Output = unknown>(
  change: (input: Input) => Promise<Output>,
  { done, isQuiet = false }: { done?: string | ((input: Input) => string); isQuiet?: boolean } = {},
) {
  const queries = useQueryClient();
  return useMutation<Output, ApiError, Input>({
    mutationFn: change,
    async onSuccess(_, input) {
      await queries.invalidateQueries();
      const message = typeof done === 'function' ? done(input) : done;
      if (message !== undefined) notifications.show({ message, color: 'teal' });
    },
    onError(error) {
      if (!isQuiet) notifications.show({ title: 'The request failed', message: error.message, color: 'red' });
    },
  });
}

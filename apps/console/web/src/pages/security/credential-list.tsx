import { Button, Group, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { api } from '../../api.ts';
import { Answer, Confirm } from '../../parts.tsx';
import { useApi, useChange } from '../../use-api.ts';

interface Credential {
  readonly id: string;
  readonly name: string;
}

interface CredentialListProps<Row extends Credential> {
  /** Path of the list in the API. Each credential is below it. */
  readonly path: string;
  readonly verb: 'Remove' | 'Revoke';
  /** Name of one, such as `token`. */
  readonly noun: string;
  /** Text that says before the end of a credential what follows from it. */
  readonly consequence: string;
  /** Message after it has ended. */
  readonly done: string;
  readonly badge?: (row: Row) => ReactNode;
  readonly details: (row: Row) => ReactNode;
}

/** Credentials of the member. Each has a button that ends it after a confirmation. */
export function CredentialList<Row extends Credential>(props: CredentialListProps<Row>) {
  const { path, verb, noun, consequence, done, badge, details } = props;
  const rows = useApi<Row[]>(path);
  const [doomed, setDoomed] = useState<Row>();
  const end = useChange((id: string) => api(`${path}/${id}`, { method: 'DELETE' }), { done });
  return (
    <>
      <Answer query={rows}>
        {(list) => (
          <>
            {list.map((row) => (
              <Group key={row.id} justify="space-between" wrap="nowrap" align="flex-start">
                <div>
                  <Group gap={6}>
                    <Text size="sm" fw={500} className="wrap-anywhere">
                      {row.name}
                    </Text>
                    {badge?.(row)}
                  </Group>
                  <Text size="sm" c="dimmed">
                    {details(row)}
                  </Text>
                </div>
                <Button
                  size="xs"
                  variant="subtle"
                  color="red"
                  flex="none"
                  aria-label={`${verb} the ${noun} ${row.name}`}
                  onClick={() => setDoomed(row)}
                >
                  {verb}
                </Button>
              </Group>
            ))}
          </>
        )}
      </Answer>
      <Confirm
        title={`${verb} the ${noun} ${doomed?.name}?`}
        text={consequence}
        action={`${verb} the ${noun}`}
        isOpen={doomed !== undefined}
        onClose={() => setDoomed(undefined)}
        onConfirm={() => doomed && end.mutate(doomed.id)}
      />
    </>
  );
}

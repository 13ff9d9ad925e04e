import { Alert, Button, Group, Text } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import { api, type Me } from '../api.ts';
import { useChange } from '../use-api.ts';

/** Reminds an operator that the pages are those of a customer, with a button to leave them. */
export function ViewBanner({ me: { view, account } }: { me: Me }) {
  // Reloads, so that no data of the customer stays in memory.
  const end = useChange(async () => {
    await api('me/view', { method: 'DELETE' });
    location.assign('/operator/accounts');
  });
  if (view === undefined) return null;
  const until = new Date(view.endsAt).toLocaleTimeString(undefined, { timeStyle: 'short' });
  return (
    <Alert color="orange" icon={<IconEye />} mb="lg" title={`You view the account ${account.name}`}>
      <Group justify="space-between">
        <Text size="sm">Nothing can be changed. The view ends at {until}, and the audit log records it.</Text>
        <Button color="dark" size="xs" loading={end.isPending} onClick={() => end.mutate(undefined)}>
          End the view
        </Button>
      </Group>
    </Alert>
  );
}

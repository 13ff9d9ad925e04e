import { Card, Switch, Text, Title } from '@mantine/core';
import { api, type Me } from '../../api.ts';
import { useChange } from '../../use-api.ts';

/** Permission for IPFS peers to fetch what the account has pinned. */
export function ServingCard({ me }: { me: Me }) {
  const change = useChange((servesPeers: boolean) => api('serving', { method: 'PUT', body: { servesPeers } }), {
    done: 'Saved. The IPFS peer applies it within seconds.',
  });
  return (
    <Card withBorder padding="lg" component="section" aria-label="IPFS peers">
      <Title order={2} size="h4">
        IPFS peers
      </Title>
      <Text size="sm" mb="xs">
        Applies if the operator serves only accounts that agreed.
      </Text>
      <Switch
        label="Let IPFS peers fetch the files of this account"
        checked={me.account.servesPeers ?? false}
        disabled={change.isPending}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
      />
    </Card>
  );
}

import { Card, Group, NativeSelect, SimpleGrid, Stack, Tabs, Text } from '@mantine/core';
import { useState } from 'react';
import type { ApiKey, Me } from '../api.ts';
import { Copy, Snippet } from '../parts.tsx';
import { endpointsOf, keyPlace, secretPlace } from './endpoints.ts';
import { snippetsOf } from './snippets.ts';

/**
 * Addresses of the services and example code for a key and a network.
 * @param keys keys to choose from; one key is not asked for
 * @param secret secret that was issued just now. Default: a blank.
 */
export function ConnectPanel({
  me,
  keys,
  secret = secretPlace,
}: {
  me: Me;
  keys: readonly Pick<ApiKey, 'id' | 'name'>[];
  secret?: string;
}) {
  const [network, setNetwork] = useState(me.networks[0]?.name ?? '');
  const [chosen, setChosen] = useState<string>();
  const key = keys.find(({ id }) => id === chosen)?.id ?? keys[0]?.id ?? keyPlace;
  const snippets = snippetsOf(me, { key, secret, network });
  return (
    <Stack>
      <Group className="filters">
        <NativeSelect
          label="Network"
          data={me.networks.map(({ name }) => name)}
          value={network}
          onChange={(event) => setNetwork(event.currentTarget.value)}
        />
        {keys.length > 1 && (
          <NativeSelect
            label="Key"
            data={keys.map(({ id, name }) => ({ value: id, label: name }))}
            value={key}
            onChange={(event) => setChosen(event.currentTarget.value)}
          />
        )}
      </Group>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="sm">
        {endpointsOf(me, network, key).map(({ title, url, hint }) => (
          <Card key={title} withBorder padding="sm" className="inset">
            <Group justify="space-between" wrap="nowrap">
              <Text size="sm" fw={600}>
                {title}
              </Text>
              <Copy value={url} label={`Copy the address: ${title}`} />
            </Group>
            <Text size="sm" ff="monospace" className="wrap-anywhere">
              {url}
            </Text>
            <Text size="xs" c="dimmed" mt={4}>
              {hint}
            </Text>
          </Card>
        ))}
      </SimpleGrid>
      <Tabs defaultValue="curl">
        <Tabs.List>
          {snippets.map(({ name }) => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map(({ name, code }) => (
          <Tabs.Panel key={name} value={name} pt="sm">
            <Snippet code={code} label={`Copy for ${name}`} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}

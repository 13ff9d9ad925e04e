import { Card, Center, Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { titleOf } from '../parts.tsx';
import { Mark } from '../shell/mark.tsx';

/** Page for visitors without a session: one form, and a link to another one. */
export function Entrance({ title, children, other }: { title: string; children: ReactNode; other: ReactNode }) {
  useDocumentTitle(titleOf(title));
  return (
    <Center mih="100vh" p="md" component="main" className="page-main">
      <Stack w={400} maw="100%" gap="lg">
        <Group gap={8} justify="center">
          <Mark />
          <Text fw={600} size="lg">
            Cairn
          </Text>
        </Group>
        <Card withBorder padding="xl">
          <Stack>
            <Title order={1} size="h2">
              {title}
            </Title>
            {children}
          </Stack>
        </Card>
        <Text size="sm" c="dimmed" ta="center">
          {other}
        </Text>
      </Stack>
    </Center>
  );
}

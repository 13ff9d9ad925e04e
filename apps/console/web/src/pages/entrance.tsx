import { Center, Paper, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { titleOf } from '../parts.tsx';

/** Page for visitors without a session: one form, and a link to another one. */
export function Entrance({ title, children, other }: { title: string; children: ReactNode; other: ReactNode }) {
  useDocumentTitle(titleOf(title));
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder p="xl" w={400} maw="100%" shadow="sm">
        <Stack>
          <div>
            <Text fw={700} c="dimmed">
              Cairn
            </Text>
            <Title order={1} size="h2">
              {title}
            </Title>
          </div>
          {children}
          <Text size="sm" c="dimmed">
            {other}
          </Text>
        </Stack>
      </Paper>
    </Center>
  );
}

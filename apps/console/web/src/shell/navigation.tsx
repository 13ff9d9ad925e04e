import { Box, NavLink, Stack, Text } from '@mantine/core';
import { Link, useLocation } from 'wouter';
import { isBelow, type PageGroup } from './pages.ts';
import { StatusLink } from './status-link.tsx';

/** Links to the pages by subject, and the state of the services below them. */
export function Navigation({ groups, onFollow }: { groups: readonly PageGroup[]; onFollow: () => void }) {
  const [path] = useLocation();
  return (
    <Stack gap={0} justify="space-between" h="100%" style={{ overflowY: 'auto' }}>
      <div>
        {groups.map(({ title, pages }) => (
          <Box key={title} role="group" aria-label={title || 'Start'}>
            {title !== '' && (
              <Text size="xs" c="dimmed" fw={500} px="sm" pt="md" pb={4} aria-hidden>
                {title}
              </Text>
            )}
            {pages.map(({ path: to, title: label, icon: Icon, preload }) => (
              <NavLink
                key={to}
                component={Link}
                href={to}
                label={label}
                leftSection={<Icon size={17} stroke={1.75} aria-hidden />}
                active={isBelow(path, to)}
                aria-current={path === to ? 'page' : undefined}
                onClick={onFollow}
                onMouseEnter={preload}
                onFocus={preload}
              />
            ))}
          </Box>
        ))}
      </div>
      <StatusLink onFollow={onFollow} />
    </Stack>
  );
}

import { ActionIcon, Menu, Text, Tooltip, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconExternalLink, IconHelpCircle, IconLogout, IconMoon, IconSun, IconUserCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { api, type Me } from '../api.ts';
import { useChange } from '../use-api.ts';

export function SchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const other = scheme === 'dark' ? 'light' : 'dark';
  return (
    <Tooltip label={`Use ${other} colours`}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        onClick={() => setColorScheme(other)}
        aria-label={`Use ${other} colours`}
      >
        {scheme === 'dark' ? <IconSun size={18} /> : <IconMoon size={18} />}
      </ActionIcon>
    </Tooltip>
  );
}

/** Menu behind an icon of the header. */
function HeaderMenu({ label, icon, children }: { label: string; icon: ReactNode; children: ReactNode }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={label}>
          {icon}
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}

/** Links to the documents that the services serve about themselves. */
export function HelpMenu({ me: { services } }: { me: Me }) {
  const documents = [
    { title: 'Storage API', href: services.storageUrl },
    { title: 'JSON-RPC methods', href: services.gatewayUrl },
    { title: 'API of this console', href: '/openapi.json' },
  ];
  return (
    <HeaderMenu label="Help" icon={<IconHelpCircle size={18} />}>
      <Menu.Label>Documents</Menu.Label>
      {documents.map(({ title, href }) => (
        <Menu.Item
          key={title}
          component="a"
          href={href}
          target="_blank"
          rel="noreferrer"
          rightSection={<IconExternalLink size={14} aria-hidden />}
        >
          {title}
        </Menu.Item>
      ))}
      <Menu.Label>Service</Menu.Label>
      <Menu.Item component={Link} href="/status">
        State of the services
      </Menu.Item>
    </HeaderMenu>
  );
}

export function AccountMenu({ me }: { me: Me }) {
  // Reloads, so that no data of this account stays in memory.
  const signOut = useChange(async () => {
    await api('sign-out', { method: 'POST' });
    location.assign('/sign-in');
  });
  return (
    <HeaderMenu label="Account" icon={<IconUserCircle size={18} />}>
      <Menu.Label>
        <Text size="sm" c="var(--mantine-color-text)">
          {me.member.email}
        </Text>
        {me.account.name}
      </Menu.Label>
      <Menu.Item component={Link} href="/security">
        Password and sessions
      </Menu.Item>
      <Menu.Divider />
      <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => signOut.mutate(undefined)}>
        Sign out
      </Menu.Item>
    </HeaderMenu>
  );
}

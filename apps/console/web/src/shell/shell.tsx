import { AppShell, Badge, Burger, Group, Text } from '@mantine/core';
import { useDisclosure, useDocumentTitle } from '@mantine/hooks';
import { lazy, Suspense } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import type { Me } from '../api.ts';
import { titleOf, Waiting } from '../parts.tsx';
import { UploadPanel } from '../uploads/upload-panel.tsx';
import { useUploadQueue } from '../uploads/use-uploads.ts';
import { AccountMenu, HelpMenu, SchemeSwitch } from './header-menus.tsx';
import { Mark } from './mark.tsx';
import { Navigation } from './navigation.tsx';
import { isBelow, pagesOf } from './pages.ts';
import { ViewBanner } from './view-banner.tsx';

const FolderPage = lazy(() => import('../pages/files/folder.tsx').then(({ FolderPage: page }) => ({ default: page })));
const FileSettingsPage = lazy(() =>
  import('../pages/files/file-settings.tsx').then(({ FileSettingsPage: page }) => ({ default: page })),
);
const StatusPage = lazy(() => import('../pages/status.tsx').then(({ StatusPage: page }) => ({ default: page })));

/** Frame of all pages of a signed-in member. */
export function Shell({ me }: { me: Me }) {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const [path] = useLocation();
  const groups = pagesOf(me);
  const shown = groups.flatMap(({ pages }) => pages);
  const title = path === '/status' ? 'Status' : shown.find((page) => isBelow(path, page.path))?.title;
  useDocumentTitle(titleOf(title));
  useUploadQueue(me.account.id);
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 216, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={{ base: 'md', sm: 'lg', lg: 'xl' }}
    >
      <a href="#page" className="skip-link">
        Skip to the page
      </a>
      <AppShell.Header px="md">
        <Header me={me} isOpen={isOpen} onToggle={toggle} />
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Pages">
        <Navigation groups={groups} onFollow={close} />
      </AppShell.Navbar>
      <AppShell.Main id="page" tabIndex={-1} className="page-main">
        <div className="page-body">
          <ViewBanner me={me} />
          <Suspense fallback={<Waiting />}>
            <Switch>
              {shown.map(({ path: to, page: Page, hasTabs }) => (
                <Route key={to} path={hasTabs ? `${to}/:tab?` : to}>
                  <Page me={me} />
                </Route>
              ))}
              <Route path="/files/settings">
                <FileSettingsPage me={me} />
              </Route>
              <Route path="/files/:cid" component={FolderPage} />
              <Route path="/status" component={StatusPage} />
              <Route>
                <Redirect to={shown[0]?.path ?? '/security'} />
              </Route>
            </Switch>
          </Suspense>
          <UploadPanel />
        </div>
      </AppShell.Main>
    </AppShell>
  );
}

function Header({ me, isOpen, onToggle }: { me: Me; isOpen: boolean; onToggle: () => void }) {
  return (
    <Group h="100%" justify="space-between" wrap="nowrap">
      <Group wrap="nowrap" gap="xs" miw={0}>
        <Burger opened={isOpen} onClick={onToggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
        <Link href="/" className="brand" aria-label="Cairn, overview">
          <Mark />
          <Text fw={600} size="lg" span>
            Cairn
          </Text>
        </Link>
        <Text c="dimmed" aria-hidden>
          /
        </Text>
        <Text fw={500} size="sm" truncate title={me.account.name}>
          {me.account.name}
        </Text>
        <Badge visibleFrom="xs" flex="none">
          {me.plan?.title ?? me.account.plan}
        </Badge>
      </Group>
      <Group gap={4} wrap="nowrap">
        <HelpMenu me={me} />
        <SchemeSwitch />
        <AccountMenu me={me} />
      </Group>
    </Group>
  );
}

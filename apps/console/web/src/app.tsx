import {
  ActionIcon,
  AppShell,
  Badge,
  Burger,
  Group,
  Menu,
  NavLink,
  Text,
  Tooltip,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure, useDocumentTitle } from '@mantine/hooks';
import {
  IconActivity,
  IconAt,
  IconCreditCard,
  IconCube,
  IconFiles,
  IconHelpCircle,
  IconHome,
  IconKey,
  IconLogout,
  IconMoon,
  IconNetwork,
  IconShieldLock,
  IconSun,
  IconTerminal2,
  IconTool,
  IconUserCircle,
  IconUsers,
} from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import { api, type Me } from './api.ts';
import { Mark } from './mark.tsx';
import { BillingPage } from './pages/billing.tsx';
import { FolderPage } from './pages/files/folder.tsx';
import { FilesPage } from './pages/files.tsx';
import { JoinPage } from './pages/join.tsx';
import { KeysPage } from './pages/keys.tsx';
import { MembersPage } from './pages/members.tsx';
import { NamesPage } from './pages/names.tsx';
import { NetworksPage } from './pages/networks.tsx';
import { OverviewPage } from './pages/overview.tsx';
import { ForgotPasswordPage, ResetPasswordPage } from './pages/password-reset.tsx';
import { SecurityPage } from './pages/security.tsx';
import { SignInPage, SignUpPage } from './pages/sign-in.tsx';
import { VerifyEmailPage } from './pages/verify-email.tsx';
import { Failure, titleOf, Waiting } from './parts.tsx';
import { UploadPanel } from './uploads/upload-panel.tsx';
import { useUploadQueue } from './uploads/use-uploads.ts';
import { useChange, useMe } from './use-api.ts';
import { ViewBanner } from './view-banner.tsx';

// Loaded on demand: charts are most of the code, and few members are operators.
const UsagePage = lazy(() => import('./pages/usage.tsx').then(({ UsagePage: default_ }) => ({ default: default_ })));
const PlaygroundPage = lazy(() =>
  import('./pages/playground.tsx').then(({ PlaygroundPage: default_ }) => ({ default: default_ })),
);
const ExplorerPage = lazy(() =>
  import('./pages/explorer.tsx').then(({ ExplorerPage: default_ }) => ({ default: default_ })),
);
const OperatorPage = lazy(() =>
  import('./pages/operator.tsx').then(({ OperatorPage: default_ }) => ({ default: default_ })),
);

const pages = [
  { path: '/', title: 'Overview', icon: IconHome, page: OverviewPage },
  { path: '/usage', title: 'Usage', icon: IconActivity, page: UsagePage },
  { path: '/keys', title: 'API keys', icon: IconKey, page: KeysPage },
  { path: '/files', title: 'Files', icon: IconFiles, page: FilesPage },
  { path: '/names', title: 'Names', icon: IconAt, page: NamesPage },
  { path: '/networks', title: 'Networks', icon: IconNetwork, page: NetworksPage },
  { path: '/explorer', title: 'Explorer', icon: IconCube, page: ExplorerPage },
  { path: '/playground', title: 'Playground', icon: IconTerminal2, page: PlaygroundPage },
  { path: '/billing', title: 'Billing', icon: IconCreditCard, page: BillingPage },
  { path: '/members', title: 'Members', icon: IconUsers, page: MembersPage },
  { path: '/security', title: 'Security', icon: IconShieldLock, page: SecurityPage },
] as const;
const operatorPage = { path: '/operator', title: 'Operator', icon: IconTool, page: OperatorPage } as const;

/** Pages whose tabs have their own addresses. */
const tabbed: readonly string[] = ['/usage', '/explorer', operatorPage.path];

/** Links of mails open with and without a session. All other pages need one. */
export function App() {
  return (
    <Switch>
      <Route path="/reset-password" component={ResetPasswordPage} />
      <Route path="/verify-email" component={VerifyEmailPage} />
      <Route path="/join" component={JoinPage} />
      <Route component={Entered} />
    </Switch>
  );
}

/** Pages of a signed-in member, or the sign-in form. */
function Entered() {
  const me = useMe();
  if (me.data === undefined) return me.error === null ? <Waiting /> : <Failure error={me.error} />;
  if (me.data === null) {
    return (
      <Switch>
        <Route path="/sign-up" component={SignUpPage} />
        <Route path="/forgot-password" component={ForgotPasswordPage} />
        <Route component={SignInPage} />
      </Switch>
    );
  }
  return <Shell me={me.data} />;
}

/** Pages that a role without the right `read` opens. */
const pagesWithoutRead: readonly string[] = ['/usage', '/billing', '/members', '/security'];

function pagesOf({ member, view }: Me) {
  const open = pages.filter(({ path }) => member.permissions.includes('read') || pagesWithoutRead.includes(path));
  return member.role === 'operator' && view === undefined ? [...open, operatorPage] : open;
}

function Shell({ me }: { me: Me }) {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const [path] = useLocation();
  const shown = pagesOf(me);
  useDocumentTitle(titleOf(shown.find((page) => isBelow(path, page.path))?.title));
  useUploadQueue(me.account.id);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 220, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="lg"
    >
      <AppShell.Header px="md">
        <Group h="100%" justify="space-between" wrap="nowrap">
          <Group wrap="nowrap">
            <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
            <Group gap={8} wrap="nowrap">
              <Mark />
              <Text fw={700} size="lg">
                Cairn
              </Text>
            </Group>
            <Badge visibleFrom="xs">{me.plan?.title ?? me.account.plan}</Badge>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <HelpMenu me={me} />
            <SchemeSwitch />
            <AccountMenu me={me} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label="Pages">
        {shown.map(({ path: to, title, icon: Icon }) => (
          <NavLink
            key={to}
            component={Link}
            href={to}
            label={title}
            leftSection={<Icon size={18} />}
            active={isBelow(path, to)}
            aria-current={path === to ? 'page' : undefined}
            onClick={close}
          />
        ))}
      </AppShell.Navbar>
      <AppShell.Main>
        <ViewBanner me={me} />
        <Suspense fallback={<Waiting />}>
          <Switch>
            {shown.map(({ path: to, page: Page }) => (
              <Route key={to} path={tabbed.includes(to) ? `${to}/:tab?` : to}>
                <Page me={me} />
              </Route>
            ))}
            <Route path="/files/:cid" component={FolderPage} />
            <Route>
              <Redirect to={shown[0]?.path ?? '/security'} />
            </Route>
          </Switch>
        </Suspense>
        <UploadPanel />
      </AppShell.Main>
    </AppShell>
  );
}

/** Reports whether a path is this page or below it. */
function isBelow(path: string, page: string): boolean {
  return path === page || (page !== '/' && path.startsWith(`${page}/`));
}

function SchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const other = scheme === 'dark' ? 'light' : 'dark';
  return (
    <Tooltip label={`Use ${other} colours`}>
      <ActionIcon variant="default" size="lg" onClick={() => setColorScheme(other)} aria-label={`Use ${other} colours`}>
        {scheme === 'dark' ? <IconSun size={18} /> : <IconMoon size={18} />}
      </ActionIcon>
    </Tooltip>
  );
}

/** Links to the documents that the services serve about themselves. */
function HelpMenu({ me: { services } }: { me: Me }) {
  const documents = [
    { title: 'Storage API', href: services.storageUrl },
    { title: 'JSON-RPC methods', href: services.gatewayUrl },
    { title: 'API of this console', href: '/openapi.json' },
  ];
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label="Help">
          <IconHelpCircle size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Documents</Menu.Label>
        {documents.map(({ title, href }) => (
          <Menu.Item key={title} component="a" href={href} target="_blank" rel="noreferrer">
            {title}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function AccountMenu({ me }: { me: Me }) {
  // Reloads, so that no data of this account stays in memory.
  const signOut = useChange(async () => {
    await api('sign-out', { method: 'POST' });
    location.assign('/sign-in');
  });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label="Account">
          <IconUserCircle size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {me.member.email}
          <br />
          {me.account.name}
        </Menu.Label>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => signOut.mutate(undefined)}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

import {
  IconActivity,
  IconAt,
  IconCreditCard,
  IconCube,
  IconFiles,
  IconHome,
  IconKey,
  IconNetwork,
  IconShieldLock,
  IconTerminal2,
  IconTool,
  IconUsers,
} from '@tabler/icons-react';
import { type ComponentType, lazy } from 'react';
import type { Me } from '../api.ts';
import { OverviewPage } from '../pages/overview.tsx';

/** Page of the console. */
export interface ConsolePage {
  readonly path: string;
  readonly title: string;
  readonly icon: typeof IconHome;
  readonly page: ComponentType<{ me: Me }>;
  /** Loads the code of the page. */
  readonly preload?: () => void;
  /** Whether the tabs of the page have their own addresses. */
  readonly hasTabs?: boolean;
  /** Whether a role without the right `read` opens it. */
  readonly isForAll?: boolean;
}

/** Pages that the navigation shows under one title. */
export interface PageGroup {
  readonly title: string;
  readonly pages: readonly ConsolePage[];
}

/** Page whose code is loaded when it is opened, or before, when the pointer or focus is on its link. */
function onDemand(load: () => Promise<ComponentType<{ me: Me }>>): Pick<ConsolePage, 'page' | 'preload'> {
  return { page: lazy(async () => ({ default: await load() })), preload: () => void load().catch(() => {}) };
}

const keys = onDemand(() => import('../pages/keys.tsx').then(({ KeysPage }) => KeysPage));
const usage = onDemand(() => import('../pages/usage.tsx').then(({ UsagePage }) => UsagePage));
const files = onDemand(() => import('../pages/files.tsx').then(({ FilesPage }) => FilesPage));
const names = onDemand(() => import('../pages/names.tsx').then(({ NamesPage }) => NamesPage));
const playground = onDemand(() => import('../pages/playground.tsx').then(({ PlaygroundPage }) => PlaygroundPage));
const explorer = onDemand(() => import('../pages/explorer.tsx').then(({ ExplorerPage }) => ExplorerPage));
const networks = onDemand(() => import('../pages/networks.tsx').then(({ NetworksPage }) => NetworksPage));
const members = onDemand(() => import('../pages/members.tsx').then(({ MembersPage }) => MembersPage));
const billing = onDemand(() => import('../pages/billing.tsx').then(({ BillingPage }) => BillingPage));
const security = onDemand(() => import('../pages/security.tsx').then(({ SecurityPage }) => SecurityPage));
const operator = onDemand(() => import('../pages/operator.tsx').then(({ OperatorPage }) => OperatorPage));

const groups: readonly PageGroup[] = [
  {
    title: '',
    pages: [
      { path: '/', title: 'Overview', icon: IconHome, page: OverviewPage },
      { path: '/keys', title: 'API keys', icon: IconKey, ...keys },
      { path: '/usage', title: 'Usage', icon: IconActivity, ...usage, hasTabs: true, isForAll: true },
    ],
  },
  {
    title: 'Storage',
    pages: [
      { path: '/files', title: 'Files', icon: IconFiles, ...files },
      { path: '/names', title: 'Names', icon: IconAt, ...names },
    ],
  },
  {
    title: 'JSON-RPC',
    pages: [
      { path: '/playground', title: 'Playground', icon: IconTerminal2, ...playground, hasTabs: true },
      { path: '/explorer', title: 'Explorer', icon: IconCube, ...explorer, hasTabs: true },
      { path: '/networks', title: 'Networks', icon: IconNetwork, ...networks },
    ],
  },
  {
    title: 'Account',
    pages: [
      { path: '/members', title: 'Members', icon: IconUsers, ...members, isForAll: true },
      { path: '/billing', title: 'Billing', icon: IconCreditCard, ...billing, isForAll: true },
      { path: '/security', title: 'Security', icon: IconShieldLock, ...security, isForAll: true },
    ],
  },
];

const operatorGroup: PageGroup = {
  title: 'Service',
  pages: [{ path: '/operator', title: 'Operator', icon: IconTool, ...operator, hasTabs: true }],
};

/** Pages that a member may open. */
export function pagesOf({ member, view }: Me): readonly PageGroup[] {
  const mayRead = member.permissions.includes('read');
  const open = groups.map(({ title, pages }) => ({ title, pages: pages.filter((page) => mayRead || page.isForAll) }));
  const shown = open.filter(({ pages }) => pages.length > 0);
  return member.role === 'operator' && view === undefined ? [...shown, operatorGroup] : shown;
}

/** Reports whether a path is this page or below it. */
export function isBelow(path: string, page: string): boolean {
  return path === page || (page !== '/' && path.startsWith(`${page}/`));
}

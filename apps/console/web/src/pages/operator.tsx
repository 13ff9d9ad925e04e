import { useParams } from 'wouter';
import type { Me } from '../api.ts';
import { PageTabs } from '../page-tabs.tsx';
import { PageHead } from '../parts.tsx';
import { Accounts } from './operator/accounts.tsx';
import { Audit } from './operator/audit.tsx';
import { Health } from './operator/health.tsx';
import { Network } from './operator/network.tsx';
import { Plans } from './operator/plans.tsx';
import { ServiceUsagePage } from './operator/usage.tsx';

const accounts = { name: 'accounts', title: 'Accounts', path: '/operator/accounts', page: Accounts } as const;
const tabs = [
  accounts,
  { name: 'usage', title: 'Usage', path: '/operator/usage', page: ServiceUsagePage },
  { name: 'plans', title: 'Plans', path: '/operator/plans', page: Plans },
  { name: 'health', title: 'Health', path: '/operator/health', page: Health },
  { name: 'network', title: 'IPFS network', path: '/operator/network', page: Network },
  { name: 'audit', title: 'Audit log', path: '/operator/audit', page: Audit },
] as const;

/** Accounts, usage, plans, service state and audit log. */
export function OperatorPage(_: { me: Me }) {
  const { tab } = useParams<{ tab?: string }>();
  const { name: shown, page: Page } = tabs.find(({ name }) => name === tab) ?? accounts;
  return (
    <>
      <PageHead title="Operator" text="Accounts, usage, plans and state of this service." />
      <PageTabs tabs={tabs} shown={shown}>
        <Page />
      </PageTabs>
    </>
  );
}

import type { ReactNode } from 'react';
import { PageTabs } from '../../page-tabs.tsx';

const tabs = [
  { name: 'list', title: 'All files', path: '/files' },
  { name: 'settings', title: 'Webhook and peers', path: '/files/settings' },
] as const;

/** Tabs of the page Files. */
export function FileTabs({ shown, children }: { shown: (typeof tabs)[number]['name']; children: ReactNode }) {
  return (
    <PageTabs tabs={tabs} shown={shown}>
      {children}
    </PageTabs>
  );
}

import { Tabs } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { useLocation } from 'wouter';

/** Tabs of a page. Each has its own address. On a narrow screen the row scrolls to the shown tab. */
export function PageTabs({
  tabs,
  shown,
  children,
}: {
  tabs: readonly { readonly name: string; readonly title: string; readonly path: string }[];
  shown: string;
  /** Panel of the shown tab. */
  children?: ReactNode;
}) {
  const [, navigate] = useLocation();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [shown]);
  return (
    <Tabs
      value={shown}
      keepMounted={false}
      onChange={(name) => navigate(tabs.find((tab) => tab.name === name)?.path ?? '/')}
    >
      <Tabs.List ref={list} mb="md">
        {tabs.map(({ name, title }) => (
          <Tabs.Tab key={name} value={name}>
            {title}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={shown}>{children}</Tabs.Panel>
    </Tabs>
  );
}

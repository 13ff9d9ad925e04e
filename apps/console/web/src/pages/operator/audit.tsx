import { Button, Card, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { time } from '../../format.ts';
import { Answer, Empty } from '../../parts.tsx';
import { useApi } from '../../use-api.ts';
import { type AuditEntry, differencesOf, sentenceOf } from './audit-texts.ts';

/** Entries of one answer of the API. */
const pageRows = 200;

/** Audit log, the newest entries first: who changed what. */
export function Audit() {
  const [account, setAccount] = useState('');
  const [action, setAction] = useState<string | null>(null);
  const [before, setBefore] = useState<number>();
  const [wanted] = useDebouncedValue(account.trim(), 300);
  const query = new URLSearchParams({
    ...(wanted !== '' && { account: wanted }),
    ...(action !== null && { action }),
    ...(before !== undefined && { before: String(before) }),
  });
  const entries = useApi<AuditEntry[]>(`operator/audit?${query}`);
  return (
    <Stack>
      <Group align="flex-end">
        <TextInput
          label="Account"
          placeholder="Name or id"
          value={account}
          onChange={(event) => {
            setAccount(event.currentTarget.value);
            setBefore(undefined);
          }}
        />
        <Select
          label="Changes of"
          placeholder="Everything"
          clearable
          clearButtonProps={{ 'aria-label': 'Show everything' }}
          value={action}
          data={[
            { value: 'account', label: 'Accounts' },
            { value: 'account.view', label: 'Views of operators' },
            { value: 'card', label: 'Billing cards' },
            { value: 'key', label: 'Keys' },
            { value: 'member', label: 'Members' },
          ]}
          onChange={(value) => {
            setAction(value);
            setBefore(undefined);
          }}
        />
        {before !== undefined && (
          <Button variant="default" onClick={() => setBefore(undefined)}>
            Newest
          </Button>
        )}
      </Group>
      <Answer query={entries}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No entries" />
          ) : (
            <Stack gap="xs">
              {list.map((entry, index) => (
                <EntryCard key={`${entry.at} ${String(index)}`} entry={entry} />
              ))}
              {list.length === pageRows && (
                <Button variant="default" onClick={() => setBefore(list.at(-1)?.at)}>
                  Older entries
                </Button>
              )}
            </Stack>
          )
        }
      </Answer>
    </Stack>
  );
}

function EntryCard({ entry }: { entry: AuditEntry }) {
  const { at, actor, accountId, accountName } = entry;
  return (
    <Card withBorder padding="sm" component="article">
      <Group justify="space-between" gap="xs">
        <Text className="wrap-anywhere">
          <b>{actor.who}</b> {sentenceOf(entry)}
        </Text>
        <Text size="sm" c="dimmed">
          {time(at)}
        </Text>
      </Group>
      {differencesOf(entry).map(({ field, before, after }) => (
        <Text key={field} size="sm" className="wrap-anywhere">
          {field}: {before !== undefined && <del>{before}</del>} {before !== undefined && '→'} <ins>{after}</ins>
        </Text>
      ))}
      <Text size="xs" c="dimmed" className="wrap-anywhere">
        {accountId !== '' && `Account ${accountName ?? accountId}, `}from {actor.from}
      </Text>
    </Card>
  );
}

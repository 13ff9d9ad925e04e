import {
  ActionIcon,
  Alert,
  Button,
  Card,
  Center,
  Code,
  CopyButton,
  Group,
  Loader,
  Modal,
  Stack,
  Text,
  Title,
  Tooltip,
} from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconCircleDashed, IconCopy } from '@tabler/icons-react';
import type { CSSProperties, ReactNode } from 'react';
import type { ApiError } from './api.ts';

/** Sets the title of the browser tab. */
export function titleOf(page: string | undefined): string {
  return page === undefined ? 'Cairn' : `${page} · Cairn`;
}

/** Head of a page. */
export function PageHead({ title, text, children }: { title: string; text?: string; children?: ReactNode }) {
  return (
    <Group justify="space-between" align="center" mb="lg" wrap="wrap" gap="sm">
      <div>
        <Title order={1} size="h2">
          {title}
        </Title>
        {text !== undefined && (
          <Text c="dimmed" size="sm" mt={2}>
            {text}
          </Text>
        )}
      </div>
      {children !== undefined && <Group gap="xs">{children}</Group>}
    </Group>
  );
}

/** Card with a title, and with actions beside it. */
export function Section({
  title,
  text,
  actions,
  isFlush = false,
  children,
}: {
  title: string;
  text?: ReactNode;
  actions?: ReactNode;
  /** Whether the content reaches the borders, as tables do. */
  isFlush?: boolean;
  children?: ReactNode;
}) {
  return (
    <Card withBorder padding={0} component="section" aria-label={title}>
      <Group justify="space-between" px="lg" pt="md" pb={isFlush ? 'xs' : 'sm'} gap="xs">
        <div>
          <Title order={2} size="h4">
            {title}
          </Title>
          {text !== undefined && (
            <Text size="sm" c="dimmed">
              {text}
            </Text>
          )}
        </div>
        {actions}
      </Group>
      {isFlush ? (
        children
      ) : (
        <Stack px="lg" pb="lg" gap="sm">
          {children}
        </Stack>
      )}
    </Card>
  );
}

/** Empty state: its title, and the next step. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Center py="xl" px="md">
      <Stack gap={4} align="center" maw={440} ta="center">
        <IconCircleDashed size={28} stroke={1.25} color="var(--mantine-color-dimmed)" aria-hidden />
        <Text fw={600}>{title}</Text>
        {children !== undefined && (
          <Text c="dimmed" size="sm" component="div">
            {children}
          </Text>
        )}
      </Stack>
    </Center>
  );
}

/** Coloured dot beside the word for a state. */
export function StateDot({ color }: { color: 'teal' | 'red' | 'orange' | 'gray' }) {
  return (
    <span
      className="state-dot"
      aria-hidden
      style={{ '--state-color': `var(--mantine-color-${color}-6)` } as CSSProperties}
    />
  );
}

export function Waiting() {
  return (
    <Center py="xl">
      <Loader role="img" aria-label="Loading" />
    </Center>
  );
}

export function Failure({ error }: { error: Pick<ApiError, 'message'> }) {
  return (
    <Alert color="red" icon={<IconAlertTriangle />} title="The request failed" role="alert">
      {error.message}
    </Alert>
  );
}

/** Renders a query while it loads, fails, or has data. */
export function Answer<T>({
  query: { data, error },
  children,
}: {
  query: { readonly data: T | undefined; readonly error: ApiError | null };
  children: (data: T) => ReactNode;
}) {
  if (data !== undefined) return children(data);
  return error ? <Failure error={error} /> : <Waiting />;
}

export function Copy({ value, label }: { value: string; label: string }) {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : label}>
          <ActionIcon variant="subtle" color={copied ? 'teal' : 'gray'} onClick={copy} aria-label={label}>
            {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}

/** Code block with a copy button. */
export function Snippet({ code, label }: { code: string; label: string }) {
  return (
    <div className="snippet">
      <Code block tabIndex={0} aria-label={label.replace('Copy', 'Code for')}>
        {code}
      </Code>
      <Copy value={code} label={label} />
    </div>
  );
}

/** Confirmation dialog for an action that cannot be undone. */
export function Confirm({
  title,
  text,
  action,
  isOpen,
  onClose,
  onConfirm,
}: {
  title: string;
  text: string;
  action: string;
  isOpen: boolean;
  onClose: () => void;
  onConfirm: () => void;
}) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
      <Stack>
        <Text>{text}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Keep it
          </Button>
          <Button
            color="red"
            onClick={() => {
              onConfirm();
              onClose();
            }}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

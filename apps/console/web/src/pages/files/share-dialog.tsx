import { Anchor, Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { type ApiKey, api, type ServiceStatus } from '../../api.ts';
import { time } from '../../format.ts';
import { Answer, Copy } from '../../parts.tsx';
import { useApi, useChange } from '../../use-api.ts';

/** Content to share: a pin, or a path below one. */
export interface SharedContent {
  readonly cid: string;
  readonly name: string;
  readonly path?: string;
}

interface SignedLink {
  readonly url: string;
  readonly expiresAt: number;
}

const periods = [
  { value: '3600', label: '1 hour' },
  { value: '86400', label: '1 day' },
  { value: '604800', label: '1 week' },
  { value: '2592000', label: '30 days' },
] as const;

/** Dialog that creates a link to content in the IPFS gateway, where one is deployed. */
export function ShareDialog({ content, onClose }: { content: SharedContent; onClose: () => void }) {
  const status = useApi<ServiceStatus>('status', { refreshMs: 5000 });
  return (
    <Modal opened onClose={onClose} title={`Share ${content.name}`} closeButtonProps={{ 'aria-label': 'Close' }}>
      <Answer query={status}>
        {({ services }) =>
          services.some(({ name, isDeployed }) => name === 'IPFS gateway' && isDeployed) ? (
            <LinkWithKey content={content} />
          ) : (
            <Text>
              Links need an IPFS gateway, and none is deployed here. An operator starts the service ipfs-gateway and
              sets CAIRN_IPFS_GATEWAY_URL for the console.
            </Text>
          )
        }
      </Answer>
    </Modal>
  );
}

function LinkWithKey({ content }: { content: SharedContent }) {
  const keys = useApi<readonly ApiKey[]>('keys', { refreshMs: 5000 });
  return (
    <Answer query={keys}>
      {(all) => {
        const usable = all.filter(isUsable);
        return usable.length === 0 ? (
          <Text>
            A link needs a key that may read.{' '}
            <Anchor component={Link} href="/keys" underline="always">
              Create a key
            </Anchor>
            , then share.
          </Text>
        ) : (
          <LinkForm content={content} keys={usable} />
        );
      }}
    </Answer>
  );
}

function LinkForm({ content, keys }: { content: SharedContent; keys: readonly ApiKey[] }) {
  const [key, setKey] = useState<string>(keys[0]?.id ?? '');
  const [seconds, setSeconds] = useState<string>(periods[1].value);
  const sign = useChange<undefined, SignedLink>(
    () =>
      api('links', {
        method: 'POST',
        body: { cid: content.cid, path: content.path ?? '', key, expiresInSeconds: Number(seconds) },
      }),
    { isQuiet: true },
  );
  // A link that was shown has the choices of its creation.
  const choose = (set: (value: string) => void) => (value: string | null) => {
    if (value === null) return;
    set(value);
    sign.reset();
  };
  return (
    <Stack>
      <Text size="sm">
        Everybody with the link can read the content until it ends. Your account pays for the reads.
      </Text>
      <Select
        label="Valid for"
        data={[...periods]}
        value={seconds}
        allowDeselect={false}
        onChange={choose(setSeconds)}
      />
      <Select
        label="Key"
        description="The link has the limits of this key, and ends if the key is revoked."
        data={keys.map(({ id, name, reference }) => ({ value: id, label: name || reference }))}
        value={key}
        allowDeselect={false}
        error={sign.error?.message}
        onChange={choose(setKey)}
      />
      {sign.data === undefined ? (
        <Group justify="flex-end">
          <Button onClick={() => sign.mutate(undefined)} loading={sign.isPending}>
            Create the link
          </Button>
        </Group>
      ) : (
        <>
          <TextInput
            label="Link"
            description={`Valid until ${time(sign.data.expiresAt)}.`}
            value={sign.data.url}
            readOnly
            rightSection={<Copy value={sign.data.url} label="Copy the link" />}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={() => sign.mutate(undefined)} loading={sign.isPending}>
              Another link
            </Button>
            <Button
              component="a"
              href={sign.data.url}
              target="_blank"
              rel="noreferrer"
              leftSection={<IconExternalLink size={16} />}
            >
              Open in gateway
            </Button>
          </Group>
        </>
      )}
    </Stack>
  );
}

/** Reports whether a key is valid and may read. */
function isUsable({ revokedAt, expiresAt, policy }: ApiKey): boolean {
  const isAlive = revokedAt === undefined && (expiresAt === undefined || expiresAt > Date.now());
  return isAlive && (policy?.storage === undefined || policy.storage.includes('read'));
}

import { Badge, Button, Card, Group, NativeSelect, Select, SimpleGrid, Stack, Tabs, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { type ApiError, type ApiKey, type Me, type RpcAnswer, rpc } from '../api.ts';
import { keyPlace, networkUrl } from '../connect/endpoints.ts';
import { Answer, Empty, Failure, PageHead, Section, Snippet } from '../parts.tsx';
import { useApi } from '../use-api.ts';
import { AbiFault, decodeOutputs, decodeRevert, encodeCall } from './playground/abi-call.ts';
import { AbiForm, type ChosenFunction } from './playground/abi-form.tsx';
import { codeOf } from './playground/code.ts';
import { LiveEvents } from './playground/live-events.tsx';
import { FieldFault, type FormValue, type Method, type OpenRpc, paramsOf } from './playground/open-rpc.ts';
import { Outcome } from './playground/outcome.tsx';
import { SchemaField } from './playground/schema-field.tsx';

/** Every method of the gateway with a form, code for the call, and live events. */
export function PlaygroundPage({ me }: { me: Me }) {
  const document = useApi<OpenRpc>('networks/methods');
  const keys = useApi<ApiKey[]>('keys');
  const [network, setNetwork] = useState(me.networks[0]?.name ?? '');
  const { tab: name = 'eth_getBlockByNumber' } = useParams<{ tab?: string }>();
  const [, navigate] = useLocation();
  return (
    <>
      <PageHead title="Playground" text="Calls of this page count against the account, under the key console." />
      <Answer query={document}>
        {(openRpc) => {
          const method = openRpc.methods.find((one) => one.name === name);
          const key = keys.data?.find(({ revokedAt }) => revokedAt === undefined)?.id ?? keyPlace;
          return (
            <Stack>
              <Group align="flex-end" className="filters">
                <NativeSelect
                  label="Network"
                  data={me.networks.map((one) => one.name)}
                  value={network}
                  onChange={(event) => setNetwork(event.currentTarget.value)}
                />
                <Select
                  label="Method"
                  searchable
                  allowDeselect={false}
                  w={320}
                  maw="100%"
                  data={openRpc.methods.filter(isCallable).map((one) => one.name)}
                  value={name}
                  onChange={(value) => value !== null && navigate(`/playground/${value}`)}
                />
              </Group>
              {method === undefined ? (
                <Empty title="No such method">The gateway has no method {name}. Choose one above.</Empty>
              ) : (
                <Call
                  key={`${network} ${name}`}
                  network={network}
                  method={method}
                  document={openRpc}
                  url={`${networkUrl(me, network)}/v3/${key}`}
                />
              )}
              <LiveEvents key={network} network={network} />
            </Stack>
          );
        }}
      </Answer>
    </>
  );
}

/** The newest block, where a method asks for a block. */
function initialValues({ params }: Method): Readonly<Record<string, FormValue>> {
  return params.some(({ name }) => name === 'block') ? { block: 'latest' } : {};
}

/** Subscriptions need a connection of their own: {@link LiveEvents} shows them. */
function isCallable({ name }: Method): boolean {
  return !['eth_subscribe', 'eth_unsubscribe', 'cairn_resume'].includes(name);
}

interface Sent {
  readonly params: readonly unknown[];
  readonly chosen: ChosenFunction | undefined;
}

interface Received extends Sent {
  readonly answer: RpcAnswer<unknown>;
  readonly durationMs: number;
}

function Call({ network, method, document, url }: { network: string; method: Method; document: OpenRpc; url: string }) {
  const [values, setValues] = useState(() => initialValues(method));
  const [chosen, setChosen] = useState<ChosenFunction>();
  const [sent, setSent] = useState<Sent>({ params: [], chosen: undefined });
  const [fault, setFault] = useState<{ readonly field: string; readonly message: string }>();
  const send = useMutation<Received, ApiError, Sent>({
    mutationFn: async (request) => {
      const start = performance.now();
      const answer = await rpc<unknown>(network, method.name, request.params);
      return { ...request, answer, durationMs: performance.now() - start };
    },
  });
  const takesAbi = method.params.some(({ name }) => name === 'call');
  const submit = () => {
    setFault(undefined);
    try {
      const entered = chosen === undefined ? values : withData(values, encodeCall(chosen.item, chosen.texts));
      const request = { params: paramsOf(method, entered, document), chosen };
      setSent(request);
      send.mutate(request);
    } catch (error) {
      if (error instanceof FieldFault) setFault(error);
      else if (error instanceof AbiFault) setFault({ field: '', message: error.message });
      else throw error;
    }
  };
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} className="shrinking align-start">
      <Card withBorder padding="lg" component="section" aria-label="Parameters">
        <Group justify="space-between" mb="xs">
          <Title order={2} size="h4" className="wrap-anywhere">
            {method.name}
          </Title>
          <Badge>
            {method['x-cost'] === undefined || method['x-cost'] === 1 ? '1 credit' : `${method['x-cost']} credits`}
          </Badge>
        </Group>
        <Text size="sm" c="dimmed" mb="md">
          {method.summary}
        </Text>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          <Stack gap="sm">
            {takesAbi && <AbiForm chosen={chosen} onChange={setChosen} />}
            {method.params.map(({ name, summary, required, schema }) => (
              <SchemaField
                key={name}
                name={name}
                label={name}
                summary={summary}
                isRequired={required}
                schema={schema}
                document={document}
                value={values[name]}
                fault={fault}
                onChange={(value) => setValues({ ...values, [name]: value })}
              />
            ))}
            {fault !== undefined && (
              <Failure error={{ message: [fault.field, fault.message].filter(Boolean).join(': ') }} />
            )}
            <Button type="submit" loading={send.isPending}>
              Send
            </Button>
          </Stack>
        </form>
      </Card>
      <Stack>
        {send.error && <Failure error={send.error} />}
        {send.data && <Answered {...send.data} />}
        <Section title="The same call in your program">
          <Code url={url} method={method.name} params={sent.params} />
        </Section>
      </Stack>
    </SimpleGrid>
  );
}

function Answered({ answer, durationMs, chosen }: Received) {
  const { result, error } = answer;
  const decoded =
    chosen && typeof result === 'string' ? decodeOutputs(chosen.item, result as `0x${string}`) : undefined;
  const data = error?.data;
  const revert = chosen && typeof data === 'string' ? decodeRevert(chosen.abi, data as `0x${string}`) : undefined;
  return <Outcome answer={answer} durationMs={durationMs} decoded={decoded} revert={revert} />;
}

function Code({ url, method, params }: { url: string; method: string; params: readonly unknown[] }) {
  const snippets = codeOf(url, method, params);
  return (
    <Tabs defaultValue="curl">
      <Tabs.List>
        {snippets.map(({ name }) => (
          <Tabs.Tab key={name} value={name}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map(({ name, code }) => (
        <Tabs.Panel key={name} value={name} pt="sm">
          <Snippet code={code} label={`Copy for ${name}`} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

/** Form values with the data of a call. */
function withData(values: Readonly<Record<string, FormValue>>, data: string): Readonly<Record<string, FormValue>> {
  const call = typeof values.call === 'object' ? values.call : {};
  return { ...values, call: { ...call, data } };
}

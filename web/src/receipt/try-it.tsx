import {
  Alert,
  Box,
  Button,
  Grid,
  Group,
  PasswordInput,
  SegmentedControl,
  Select,
  Stack,
  Text,
  Textarea,
} from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import type { Amount, Device } from '../api/answers.ts';
import { useTaxpayerName } from '../api/choices.ts';
import { call, callFully, Problem } from '../api/client.ts';
import { useMay, usePerson, useTaxRounding } from '../api/session.ts';
import { worstColour } from '../parts/badges.tsx';
import { Copyable, CopyText } from '../parts/copy.tsx';
import { money, sentence } from '../parts/format.ts';
import { ErrorLink, LinkButton, TextLink } from '../parts/links.tsx';
import { Notice } from '../parts/notice.tsx';
import { Facts, Page, Panel } from '../parts/panel.tsx';
import { Empty, Failure } from '../parts/states.tsx';
import { bodyText, type Draft, exampleDraft, newReference } from './compose.ts';
import { ReceiptForm } from './try-form.tsx';

const HOUR_MS = 3600_000;

function curlOf(body: string): string {
  return `curl ${window.location.origin}/api/receipt/sign \\
  -H "Authorization: Bearer $TILLSEAL_TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '${body.replaceAll("'", "'\\''")}'`;
}

export function TryItPage() {
  const devices = useQuery({
    queryKey: ['live', 'all-devices'],
    queryFn: () => call('GET /api/admin/devices', { query: { Limit: 200 } }),
  });
  const list = devices.data?.Devices;
  return (
    <Page
      title="Try it"
      isTimeless
      lead="Compose a receipt, send it to the signing API as a till would, and see what it answers."
    >
      {devices.error !== null && <Failure error={devices.error} />}
      {list?.length === 0 && (
        <Panel>
          <Empty icon="device" title="No device to sign with">
            <TextLink to="/devices/register">Register one first</TextLink>
          </Empty>
        </Panel>
      )}
      {list !== undefined && list.length > 0 && <Workbench devices={list} />}
    </Page>
  );
}

const taxKey = (percent: Amount | null) => (percent === null ? 'exempt' : String(percent));

function Workbench({ devices }: { readonly devices: readonly Device[] }) {
  const [deviceId, setDeviceId] = useState(() => {
    const open = devices.find((device) => device.FiscalDay.State === 'Opened') ?? devices[0];
    return open?.AuthorityDeviceId ?? 0;
  });
  const device = devices.find((one) => one.AuthorityDeviceId === deviceId);
  const taxes = useMemo(() => [...new Set(device?.ApplicableTaxes.map((tax) => taxKey(tax.TaxPercent)))], [device]);
  const [draft, setDraft] = useState<Draft>(() => exampleDraft(taxes));
  const [mode, setMode] = useState<'form' | 'json'>('form');
  const [text, setText] = useState('');
  const signing = useSigning(device);
  const rounding = useTaxRounding();
  const body = () => (mode === 'json' ? text : bodyText(draft, deviceId, new Date().toISOString(), rounding));
  const problem = signing.mutation.error instanceof Problem ? signing.mutation.error : undefined;
  const change = (next: Draft) => {
    setDraft(next);
    if (signing.mutation.error !== null) signing.mutation.reset();
  };
  const switchMode = (next: string) => {
    if (next === 'json') setText(bodyText(draft, deviceId, new Date().toISOString(), rounding));
    setMode(next === 'json' ? 'json' : 'form');
  };
  const another = () => {
    signing.mutation.reset();
    const Reference = newReference();
    setDraft({ ...draft, Reference });
    setText(
      text
        .replace(/"Reference": *"[^"]*"/, `"Reference": "${Reference}"`)
        .replace(/"Date": *"[^"]*"/, `"Date": "${new Date().toISOString()}"`),
    );
  };
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, lg: 7 }}>
        <Panel
          title="Request"
          aside={
            <SegmentedControl
              size="xs"
              value={mode}
              onChange={switchMode}
              data={[
                { value: 'form', label: 'Form' },
                { value: 'json', label: 'JSON' },
              ]}
            />
          }
        >
          <DeviceSelect devices={devices} deviceId={deviceId} onChange={setDeviceId} />
          {mode === 'form' ? (
            <ReceiptForm draft={draft} taxes={taxes} problem={problem} onChange={change} />
          ) : (
            <Textarea
              label="Receipt as JSON"
              autosize
              minRows={16}
              maxRows={30}
              spellCheck={false}
              styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12.5 } }}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
          )}
          {signing.tokenBox}
          <Group>
            <Button
              loading={signing.mutation.isPending}
              disabled={!signing.isReady}
              onClick={() => signing.mutation.mutate(body())}
            >
              Sign it
            </Button>
            <CopyText value={curlOf(body())} label="Copy as curl" />
          </Group>
        </Panel>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 5 }}>
        <Box pos="sticky" top={16}>
          <Panel title="Answer">
            <Answer mutation={signing.mutation} onAnother={another} />
          </Panel>
        </Box>
      </Grid.Col>
    </Grid>
  );
}

function DeviceSelect(props: {
  readonly devices: readonly Device[];
  readonly deviceId: number;
  readonly onChange: (deviceId: number) => void;
}) {
  const nameOf = useTaxpayerName();
  return (
    <Select
      label="Device"
      allowDeselect={false}
      searchable
      data={props.devices.map((device) => ({
        value: String(device.AuthorityDeviceId),
        label: `${device.AuthorityDeviceId}, ${nameOf(device.TaxpayerId)}${device.FiscalDay.State === 'Opened' ? '' : ' (day not open)'}`,
      }))}
      value={String(props.deviceId)}
      onChange={(value) => value !== null && props.onChange(Number(value))}
    />
  );
}

/**
 * An operator cannot sign, and no token of a taxpayer is kept in the console. An admin gets one for an hour, issued in their
 * name and therefore in the audit log; others paste the one of their till.
 */
function useSigning(device: Device | undefined) {
  const client = useQueryClient();
  const person = usePerson();
  const mayIssue = useMay('POST /api/admin/tokens');
  const [pasted, setPasted] = useState('');
  const issued = useRef(new Map<string, { readonly token: string; readonly until: number }>());
  const tokenOf = async (taxpayerId: string): Promise<string> => {
    if (pasted !== '') return pasted;
    const known = issued.current.get(taxpayerId);
    if (known !== undefined && known.until > Date.now() + 60_000) return known.token;
    const until = Date.now() + HOUR_MS;
    const { Token } = await call('POST /api/admin/tokens', {
      body: {
        TaxpayerId: taxpayerId,
        Name: `Console of ${person.Email}`,
        Scopes: ['sign', 'read'],
        ExpiresAt: new Date(until).toISOString(),
      },
    });
    issued.current.set(taxpayerId, { token: Token, until });
    return Token;
  };
  const mutation = useMutation({
    mutationFn: async (body: string) => {
      if (device === undefined) throw new Error('Choose a device first.');
      const token = await tokenOf(device.TaxpayerId);
      const startedAt = performance.now();
      const answer = await callFully('POST /api/receipt/sign', { body, token });
      return { ...answer, tookMs: performance.now() - startedAt };
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ['live'] }),
  });
  const tokenBox = (
    <PasswordInput
      label="Token of the taxpayer"
      description={
        mayIssue
          ? 'If you leave it empty, one is issued in your name for an hour.'
          : 'With the scope sign. It is not stored.'
      }
      autoComplete="off"
      value={pasted}
      onChange={(event) => setPasted(event.currentTarget.value.trim())}
    />
  );
  return { mutation, tokenBox, isReady: mayIssue || pasted !== '' };
}

function Answer(props: {
  readonly mutation: ReturnType<typeof useSigning>['mutation'];
  readonly onAnother: () => void;
}) {
  const { mutation } = props;
  if (mutation.error !== null) return <Refused error={mutation.error} />;
  if (mutation.data === undefined) {
    return (
      <Empty icon="receipt" title="Nothing sent yet">
        The seal appears here, or every mistake with its field.
      </Empty>
    );
  }
  const { value: receipt, headers, tookMs, text } = mutation.data;
  const isReplay = headers.get('idempotent-replay') === 'true';
  const colour = worstColour(receipt);
  const isTaken = receipt.SubmissionState === 'Submitted' && colour === null;
  const isBad = receipt.SubmissionState === 'Refused' || colour === 'Red';
  return (
    <Stack>
      <Notice
        color={isTaken ? 'seal' : isBad ? 'red' : 'yellow'}
        title={isReplay ? 'Sealed before' : 'Sealed'}
        role="status"
      >
        {receipt.Reference} over {money(receipt.TotalAmount, receipt.Currency)}, {Math.round(tookMs)} ms.{' '}
        {receipt.SubmissionError ??
          (colour === null
            ? 'The authority has it.'
            : `The authority marked it ${colour}: ${receipt.Remarks.map(({ Message }) => sentence(Message)).join(' ')}`)}
      </Notice>
      <Facts
        facts={{
          'Verification code': <Copyable value={receipt.VerificationCode} label="verification code" />,
          'Fiscal day': `${receipt.FiscalDayNumber}, receipt ${receipt.FiscalDayCounter}`,
          'Global number': receipt.GlobalCounter,
        }}
      />
      <Group>
        <LinkButton
          variant="filled"
          to="/receipts/$deviceId/$globalCounter"
          params={{ deviceId: String(receipt.AuthorityDeviceId), globalCounter: String(receipt.GlobalCounter) }}
        >
          Open the receipt
        </LinkButton>
        <Button variant="default" onClick={props.onAnother}>
          Another one
        </Button>
        <CopyText value={text} label="Copy the answer" />
      </Group>
    </Stack>
  );
}

function Refused({ error }: { readonly error: Error }) {
  if (!(error instanceof Problem) || error.errors.length === 0) return <Failure error={error} />;
  return (
    <Stack gap="sm" role="alert">
      <Text fw={600}>{error.title}</Text>
      {error.errors.map((one) => (
        <Alert key={`${one.Field} ${one.Code} ${one.Message}`} color="red" p="sm">
          <Text>
            <span className="mono">{one.Field}</span>: {one.Message} <ErrorLink code={one.Code}>{one.Code}</ErrorLink>
          </Text>
        </Alert>
      ))}
    </Stack>
  );
}

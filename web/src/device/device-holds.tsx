import { Checkbox, List, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Device } from '../api/answers.ts';
import { live } from '../api/queries.ts';
import { useMay } from '../api/session.ts';
import { ConfirmButton } from '../parts/actions.tsx';
import { sentence, words } from '../parts/format.ts';
import { Notice } from '../parts/notice.tsx';
import { Loaded } from '../parts/states.tsx';
import { useTimes } from '../parts/use-times.ts';

/** Why nothing is sealed on the device: each hold with its reason, since when, and who ends it. */
export function HoldsBanner({ device }: { readonly device: Device }) {
  const { moment } = useTimes();
  const { Holds: holds, AuthorityDeviceId } = device;
  if (holds.length === 0) return null;
  const isChainCut = holds.some(({ Kind }) => Kind === 'RowsLost' || Kind === 'AuthorityAhead');
  const isCertificateToReplace = holds.some(({ Kind }) => Kind === 'Refused' || Kind === 'CertificateExpired');
  const [{ Since }] = [...holds.filter(({ Kind }) => Kind === 'GivenUp'), { Since: null }];
  if (Since !== null)
    return (
      <Notice color="gray" title="Given up" actions={<RegisterAgain device={device} />}>
        Since {moment(Since, true)} nothing is sealed on this device, and it is not looked after. Its receipts and days
        stay.
      </Notice>
    );
  return (
    <Notice
      color="red"
      title="On hold: nothing is sealed on this device"
      actions={
        <>
          {isChainCut && <GoOn deviceId={AuthorityDeviceId} />}
          {isCertificateToReplace && <RegisterAgain device={device} />}
        </>
      }
    >
      Tills get 503 DeviceOnHold and keep their receipts.
      <List mt="xs" spacing="xs" size="sm">
        {holds.map(({ Kind, Reason, Since, EndedBy }) => (
          <List.Item key={Kind}>
            <b>{words(Kind)}</b>, since {moment(Since, true)}: {sentence(Reason)} {EndedBy}
          </List.Item>
        ))}
      </List>
    </Notice>
  );
}

/** Going on behind receipts that are missing here: says first what is lost, and what follows. */
function GoOn({ deviceId }: { readonly deviceId: number }) {
  const params = { authorityDeviceId: deviceId };
  const chain = useQuery({
    ...live('GET /api/admin/devices/:authorityDeviceId/chain', { params }),
    refetchInterval: 10_000,
  });
  const [sureOf, setSureOf] = useState<number>();
  const mayGoOn = useMay('POST /api/admin/devices/:authorityDeviceId/chain');
  return (
    <Loaded query={chain} rows={1}>
      {({ GlobalCounter: number, Obstacle, Consequences }) => {
        if (number === null) return <Text>The chain cannot go on yet: {sentence(Obstacle ?? '')}</Text>;
        const name = `Go on behind receipt ${number}`;
        if (!mayGoOn)
          return <Text>The chain can go on behind receipt {number}. An admin of the installation decides.</Text>;
        return (
          <ConfirmButton
            danger
            label={name}
            title={name}
            isReady={sureOf === number}
            done={`The next receipt follows receipt ${number}.`}
            of="POST /api/admin/devices/:authorityDeviceId/chain"
            given={{ params, body: { GlobalCounter: number } }}
          >
            <List spacing="xs" size="sm" mb="md">
              {[...Consequences, LAST_WORD].map((words) => (
                <List.Item key={words}>{words}</List.Item>
              ))}
            </List>
            <Checkbox
              label="I have read what follows, and the old database is gone"
              checked={sureOf === number}
              onChange={(event) => setSureOf(event.currentTarget.checked ? number : undefined)}
            />
          </ConfirmButton>
        );
      }}
    </Loaded>
  );
}

const LAST_WORD = 'It cannot be taken back. If the old database still exists, go back to it instead.';

/** Another certificate for a device whose own the authority no longer accepts. */
export function RegisterAgain({ device }: { readonly device: Device }) {
  const { TaxpayerId, AuthorityDeviceId, SerialNumber } = device;
  const [ActivationKey, setActivationKey] = useState('');
  return (
    <ConfirmButton
      label="Register again"
      title="Register again"
      done="The device has a new certificate."
      isReady={ActivationKey.length === 8}
      of="POST /api/admin/devices"
      given={{ body: { TaxpayerId, AuthorityDeviceId, SerialNumber, ActivationKey, Again: true } }}
      onDone={() => setActivationKey('')}
    >
      <Stack gap="sm">
        <Text>
          If the authority no longer accepts the certificate of this device (revoked, expired, activation reset), ask it
          for a fresh activation key. Key pair, chain, open day, settings and what waits to be submitted stay as they
          are.
        </Text>
        <TextInput
          label="Activation key"
          description="Eight characters; works once"
          maxLength={8}
          value={ActivationKey}
          onChange={(event) => setActivationKey(event.currentTarget.value)}
        />
      </Stack>
    </ConfirmButton>
  );
}
